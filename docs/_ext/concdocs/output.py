"""`output-of`: what a program prints, run while the site is built.

A program is started where the page is read; when pages are written, its output takes the place of an `output`.
"""

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from concdocs.places import Directive, Mistake, file_in_project, mistaken
from concdocs.runs import SECONDS, Program, printed, start


class output(nodes.General, nodes.Element):
    """The output of a program, with or without its command line, and of its `last` lines so many."""


def seconds(text: str) -> float:
    """A limit of time."""
    return float(text)


class OutputOf(Directive):
    """A console block: the command line, then what it printed on either stream; with `:bare:` the latter alone."""

    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {
        "args": directives.unchanged_required,
        "command": directives.unchanged_required,
        "status": int,
        "seconds": seconds,
        "last": directives.positive_int,
        "alone": directives.flag,
        "bare": directives.flag,
    }

    def build(self) -> list[nodes.Node]:
        limit = self.options.get("seconds", SECONDS)
        program = Program(self._command(), self.options.get("status", 0), limit)
        start(program, alone="alone" in self.options)
        shown = output(program=program, last=self.options.get("last"), bare="bare" in self.options)
        self.set_source_info(shown)
        return [shown]

    def _command(self) -> str:
        """The command line as a reader would type it."""
        if "command" in self.options:
            return str(self.options["command"])
        if not self.arguments:
            raise Mistake("needs a file, or `:command:`")
        self.depends_on(file_in_project(self.arguments[0]))
        return f"python {self.arguments[0]} {self.options.get('args', '')}".rstrip()


class ShowOutputs(SphinxPostTransform):
    """Puts in what the programs of a page have printed."""

    default_priority = 5  # before Sphinx looks at blocks of code

    def run(self, **_: object) -> None:
        for node in list(self.document.findall(output)):
            try:
                node.replace_self(block(node))
            except Mistake as mistake:
                node.replace_self(mistaken("output-of", mistake, node))


def block(node: output) -> nodes.literal_block:
    """The part of a program's output that is shown. Raises `Mistake`."""
    program, last = node["program"], node["last"]
    lines = printed(program).splitlines()
    shown = lines if last is None or last >= len(lines) else ["[...]", *lines[-last:]]
    command = [] if node["bare"] else [f"$ {program.command}"]
    text = "\n".join([*command, *shown])
    classes = [] if node["bare"] else ["output-of"]
    return nodes.literal_block(text, text, language="text" if node["bare"] else "console", classes=classes)


def setup(app: Sphinx) -> None:
    app.add_node(output)
    app.add_directive("output-of", OutputOf)
    app.add_post_transform(ShowOutputs)
