"""`trace`: the picture of a run in time, recorded and drawn while the site is built, in the page's own shades.

The SVG is part of the page, once for a wide page and once for a phone; the style sheet shows one of the two.
"""

import json
import re
import shlex
from html import escape
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from concdocs.places import Directive, Mistake, file_in_project, mistaken
from concdocs.runs import SECONDS, Program, printed, start

RECORDS = "python docs/_ext/trace_picture.py"


class traced(nodes.General, nodes.Element):
    """The pictures and tables of a recorded run."""


class Trace(Directive):
    """The argument says in a sentence what the picture shows. `:command:` has the word FILE for the path of the trace,
    or `:of:` is a file of the project, which gets that path as its last argument, after `:args:`."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {
        "command": directives.unchanged_required,
        "of": directives.unchanged_required,
        "args": directives.unchanged_required,
        "title": directives.unchanged_required,
        "status": directives.nonnegative_int,
        "caption": directives.unchanged_required,
        "tables": directives.unchanged,
        "beside": directives.flag,
    }

    def build(self) -> list[nodes.Node]:
        command = self._command()
        if "FILE" not in command.split():
            raise Mistake("`:command:` needs the word FILE, which stands for the path of the trace")
        words = [self.options.get("title", self.arguments[0]), str(self.options.get("status", 0))]
        program = Program(f"{RECORDS} {shlex.join(words)} {command}", 0, SECONDS)
        start(program, alone="beside" not in self.options)
        shown = traced(program=program, says=self.arguments[0], is_table=False)
        self.set_source_info(shown)
        figure = nodes.figure("", shown, classes=["drawing", "trace-picture"])
        if "caption" in self.options:
            figure += nodes.caption("", "", *self.parse_inline(self.options["caption"])[0])
        if "tables" not in self.options:
            return [figure]
        tables = traced(program=program, is_table=True, only=self.options["tables"])
        self.set_source_info(tables)
        return [figure, tables]

    def _command(self) -> str:
        if "command" in self.options:
            return str(self.options["command"])
        if "of" not in self.options:
            raise Mistake("needs `:command:`, or a file in `:of:`")
        self.depends_on(file_in_project(self.options["of"]))
        return " ".join(filter(None, ["python", self.options["of"], self.options.get("args", ""), "FILE"]))


class ShowTraces(SphinxPostTransform):
    """Puts in the pictures of a page."""

    default_priority = 5  # before Sphinx looks at blocks of code

    def run(self, **_: object) -> None:
        for node in list(self.document.findall(traced)):
            try:
                node.replace_self(parts(node))
            except Mistake as mistake:
                node.replace_self(mistaken("trace", mistake, node))


def parts(node: traced) -> list[nodes.Node]:
    """The pictures and tables of a recorded run. Raises `Mistake`."""
    made = json.loads(printed(node["program"]))
    if node["is_table"]:
        tables = [it for it in made["tables"].split("\n\n") if it.startswith(node["only"])]
        if not tables:
            raise Mistake(f"no table begins with {node['only']!r}:\n{made['tables']}")
        text = "\n\n".join(tables)
        return [nodes.literal_block(text, text, language="text")]
    return [
        nodes.raw("", _named(made[size], node["says"], f"trace-{size}"), format="html") for size in ("wide", "narrow")
    ]


def _named(svg: str, says: str, name: str) -> str:
    """The picture with what it says to a screen reader, which is more than its title, and with its class."""
    label = f'aria-label="{escape(says)}"'
    svg = re.sub('aria-label="[^"]*"', lambda _: label, svg, count=1)
    return svg.replace('class="trace"', f'class="trace {name}"', 1)


def setup(app: Sphinx) -> None:
    app.add_node(traced)
    app.add_directive("trace", Trace)
    app.add_post_transform(ShowTraces)
