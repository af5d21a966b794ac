"""`phrases`: a file of functions as a table, with the other language's code beside the function that does the same.

The docstring of such a function has the other code, an empty line, and what differs.
"""

import ast
from collections.abc import Iterator
from textwrap import dedent, indent
from typing import NamedTuple

from docutils import nodes
from sphinx.application import Sphinx

from concdocs.places import Directive, Mistake, fenced, file_in_project


class Phrases(Directive):
    """The arguments are a file, and the name of the other language as Pygments and readers know it.

    A third one names a library: below our code is then that of `NAME_alone`, which does the same with this library.
    """

    required_arguments = 2
    optional_arguments = 1

    def build(self) -> list[nodes.Node]:
        path, (language, *library) = file_in_project(self.arguments[0]), self.arguments[1:]
        self.depends_on(path)
        rows = [f"* - {language}\n  - here{''.join(f', and in {it} itself' for it in library)}\n"]
        for row in phrases(path.read_text()):
            left = indent(fenced(row.other, language.lower()), "    ").lstrip()
            right = indent(fenced(row.ours, "python"), "    ").lstrip()
            rows.append(f"* - {left}\n    {row.differs}\n  - {right}\n")
            if library and not row.alone:
                raise Mistake(f"{path.name} has no function with `_alone` in its name that does {row.ours.strip()!r}")
            if library:
                rows.append(f"    In {library[0]} itself:\n\n{indent(fenced(row.alone, 'python'), '    ')}\n")
        table = "::::{list-table}\n:header-rows: 1\n\n" + "".join(rows) + "::::\n"
        return [nodes.container("", *self.markdown(table), classes=["phrases"])]


class Row(NamedTuple):
    """The other code, ours, what differs, and what does the same without us; nothing if the file doesn't have it."""

    other: str
    ours: str
    differs: str
    alone: str = ""


type _Function = ast.FunctionDef | ast.AsyncFunctionDef


def phrases(text: str) -> Iterator[Row]:
    """A row for each function of one parameter `model`; the function with `_alone` after its name does the same."""
    lines = text.splitlines()
    functions = {it.name: it for it in ast.parse(text).body if isinstance(it, (ast.FunctionDef, ast.AsyncFunctionDef))}
    for it in functions.values():
        if [arg.arg for arg in it.args.args] == ["model"]:
            other, gap, differs = (ast.get_docstring(it) or "").partition("\n\n")
            if not gap:
                raise Mistake(
                    f"the docstring of {it.name} needs the other language's code, an empty line, and a sentence"
                )
            alone = functions.get(f"{it.name}_alone")
            ours = _text(lines, it.body[0].end_lineno, it)
            theirs = _text(lines, alone.body[0].lineno - 1, alone) if alone else ""
            yield Row(other, ours, " ".join(differs.split()), theirs)


def _text(lines: list[str], begin: int | None, function: _Function) -> str:
    """The last lines of a function, without their indentation."""
    return dedent("\n".join(lines[begin : function.end_lineno]))


def setup(app: Sphinx) -> None:
    app.add_directive("phrases", Phrases)
