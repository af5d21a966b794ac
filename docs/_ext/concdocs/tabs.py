"""`in-all-models`: one program in tabs, one per model; the choice is remembered on all pages."""

import ast
import re
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from concdocs.places import ROOT, Directive, Mistake, fenced, file_in_project
from concdocs.runs import PROGRAMS
from concmodels import catalog

LOADED = re.compile(r"""\bload\((["'])([\w:]+)\1\)""")


class InAllModels(Directive):
    """The first file is the sync program, the second (if any) the async one; each loads one model by its name.

    The name is replaced. With `:object:`, one of its functions is shown alone.
    """

    required_arguments = 1
    optional_arguments = 1
    option_spec: ClassVar = {
        "output": directives.flag,
        "only": directives.unchanged_required,
        "object": directives.unchanged_required,
    }

    def build(self) -> list[nodes.Node]:
        self.depends_on(*(file_in_project(name) for name in self.arguments))
        programs = dict(map(_program, self.arguments))
        tabs = [
            self._tab(name, programs[catalog.facts(name).is_async])
            for name in self._names()
            if catalog.facts(name).is_async in programs
        ]
        text = "\n".join([":::::{tab-set}", ":sync-group: model", ":class: in-all-models", "", *tabs, ":::::"])
        return self.markdown(text)

    def _names(self) -> list[str]:
        return self.options["only"].split() if "only" in self.options else catalog.names()

    def _tab(self, name: str, file: str) -> str:
        source = _for_model(file_in_project(file).read_text(), name)
        shown = _function(source, self.options["object"]) if "object" in self.options else source
        parts = [f"::::{{tab-item}} {name}", f":sync: {name}", "", fenced(shown, "python")]
        if "output" in self.options:
            command = f"python {_written(source, Path(file).name, name)}"
            parts += ["It prints:", "", f"```{{output-of}}\n:command: {command}\n:bare:\n```\n"]
        return "\n".join([*parts, "::::", ""])


def _program(file: str) -> tuple[bool, str]:
    """Whether the model that a program loads is async, and the program's file."""
    found = LOADED.search(file_in_project(file).read_text())
    if found is None:
        raise Mistake(f'{file} has no load("NAME") whose name could be replaced')
    return catalog.facts(found[2]).is_async, file


def _for_model(source: str, name: str) -> str:
    """The program with this model instead of its own."""
    return LOADED.sub(f'load("{name}")', source)


def _function(source: str, name: str) -> str:
    """The text of one function of a program."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return ast.get_source_segment(source, node) or ""
    raise Mistake(f"the program has no function {name!r}")


def _written(source: str, file: str, name: str) -> str:
    """The path of the program for this model, from the project's top folder."""
    path = PROGRAMS / name.replace(":", "-") / file
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != source:
        path.write_text(source)
    return path.relative_to(ROOT).as_posix()


def setup(app: Sphinx) -> None:
    app.add_directive("in-all-models", InAllModels)
