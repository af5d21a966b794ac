"""`code-of`: a file of the project, or a part of it, with the lines that matter marked."""

import os
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.directives.code import LiteralInclude, LiteralIncludeReader

from concdocs.places import Directive, Mistake, file_in_project
from concdocs.playground import playground


class CodeOf(Directive):
    """Sphinx's literalinclude, with paths from the project's top and with marks by text instead of by number."""

    required_arguments = 1
    option_spec: ClassVar = {
        "object": directives.unchanged_required,
        "lines": directives.unchanged_required,
        "mark": directives.unchanged_required,
        "numbers": directives.flag,
        "language": directives.unchanged_required,
        "caption": directives.unchanged_required,
        "run": directives.flag,
        "first": directives.flag,
        "returns": directives.unchanged_required,
        "exercise": directives.unchanged_required,
    }

    def build(self) -> list[nodes.Node]:
        path = file_in_project(self.arguments[0])
        options = self._included()
        try:
            shown = LiteralIncludeReader(
                str(path), {k: v for k, v in options.items() if k != "class"}, self.config
            ).read()
        except ValueError as error:
            raise Mistake(str(error)) from None
        if "mark" in self.options:
            options["emphasize-lines"] = self._marked(shown[0].splitlines())
        place = os.path.relpath(path, self.env.srcdir)
        includer = LiteralInclude(
            "literalinclude", [f"/{place}"], options, self.content, self.lineno, self.content_offset,
            self.block_text, self.state, self.state_machine,
        )  # fmt: skip
        block = includer.run()
        if "run" not in self.options:
            return block
        return playground(
            self.arguments[0],
            block,
            {it: self.options[it] for it in ("returns", "exercise") if it in self.options},
            whole=path.read_text(encoding="utf-8") if "object" in self.options else "",
            pictured_from=self._first_line() if "first" in self.options else None,
        )

    def _first_line(self) -> int:
        """The number of the first line that is shown."""
        return int(self.options.get("lines", "1").partition("-")[0])

    def _included(self) -> dict[str, object]:
        """The options for literalinclude."""
        name = self.arguments[0]
        what = f"{name}: {self.options['object']}" if "object" in self.options else name
        what = what.replace("_", r"\_")  # a caption is markup, and `__iter__` would be bold
        options: dict[str, object] = {"caption": self.options.get("caption", what), "class": ["code-of"]}
        if name.endswith(".py") or "language" in self.options:
            options["language"] = self.options.get("language", "python")
        if "object" in self.options:
            options["pyobject"] = self.options["object"]
        if "lines" in self.options:
            options["lines"] = self.options["lines"]
        if "numbers" in self.options:
            options["lineno-match"] = None
        return options

    def _marked(self, lines: list[str]) -> str:
        """The numbers of the shown lines that contain one of the texts."""
        numbers: set[int] = set()
        for text in self.options["mark"].split(" | "):
            found = {number for number, line in enumerate(lines, 1) if text.strip() in line}
            if not found:
                raise Mistake(f"{self.arguments[0]}: no shown line contains {text.strip()!r}, which is to be marked")
            numbers |= found
        return ",".join(map(str, sorted(numbers)))


def setup(app: Sphinx) -> None:
    app.add_directive("code-of", CodeOf)
