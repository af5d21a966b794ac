"""`phrases`: a file of functions as a table, with the other language's code beside the function that does the same.

The docstring of such a function has the other code, an empty line, and what differs.
"""

import ast
from collections.abc import Iterator
from textwrap import dedent, indent

from docutils import nodes
from sphinx.application import Sphinx

from concdocs.places import Directive, Mistake, fenced, file_in_project


class Phrases(Directive):
    """The arguments are a file, and the name of the other language as Pygments and readers know it."""

    required_arguments = 2

    def build(self) -> list[nodes.Node]:
        path, language = file_in_project(self.arguments[0]), self.arguments[1]
        self.depends_on(path)
        rows = [f"* - {language}\n  - here\n"]
        for other, ours, differs in phrases(path.read_text()):
            left = indent(fenced(other, language.lower()), "    ").lstrip()
            right = indent(fenced(ours, "python"), "    ").lstrip()
            rows.append(f"* - {left}\n    {differs}\n  - {right}\n")
        table = "::::{list-table}\n:header-rows: 1\n\n" + "".join(rows) + "::::\n"
        return [nodes.container("", *self.markdown(table), classes=["phrases"])]


def phrases(text: str) -> Iterator[tuple[str, str, str]]:
    """The other code, the body of the function, and what differs, for each function of one parameter `model`."""
    lines = text.splitlines()
    for it in ast.parse(text).body:
        if isinstance(it, ast.FunctionDef) and [arg.arg for arg in it.args.args] == ["model"]:
            other, gap, differs = (ast.get_docstring(it) or "").partition("\n\n")
            if not gap:
                raise Mistake(
                    f"the docstring of {it.name} needs the other language's code, an empty line, and a sentence"
                )
            yield other, dedent("\n".join(lines[it.body[0].end_lineno : it.end_lineno])), " ".join(differs.split())


def setup(app: Sphinx) -> None:
    app.add_directive("phrases", Phrases)
