"""`output-of`: what a program prints, run while the site is built."""

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from concdocs.places import Directive, Mistake, file_in_project
from concdocs.runs import run

SECONDS = 60.0


def seconds(text: str) -> float:
    """A limit of time."""
    return float(text)


class OutputOf(Directive):
    """A console block: the command line, then what it printed on either stream."""

    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {
        "args": directives.unchanged_required,
        "command": directives.unchanged_required,
        "status": int,
        "seconds": seconds,
        "last": directives.positive_int,
    }

    def build(self) -> list[nodes.Node]:
        command = self._command()
        expected = self.options.get("status", 0)
        done = run(command, self.options.get("seconds", SECONDS), expected)
        if done.status != expected:
            raise Mistake(f"`{command}` ended with status {done.status} instead of {expected}:\n{done.output}")
        lines = done.output.splitlines()
        last = self.options.get("last", len(lines))
        shown = lines if last >= len(lines) else ["[...]", *lines[-last:]]
        block = nodes.literal_block("", "\n".join([f"$ {command}", *shown]), language="console")
        block["classes"].append("output-of")
        return [block]

    def _command(self) -> str:
        """The command line as a reader would type it."""
        if "command" in self.options:
            return str(self.options["command"])
        if not self.arguments:
            raise Mistake("needs a file, or `:command:`")
        self.depends_on(file_in_project(self.arguments[0]))
        return f"python {self.arguments[0]} {self.options.get('args', '')}".rstrip()


def setup(app: Sphinx) -> None:
    app.add_directive("output-of", OutputOf)
