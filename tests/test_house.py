"""How the house is built: what imports what, and that the two colours of a program are one program."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import concmodels
from concmodels import catalog

PACKAGE = Path(concmodels.__file__).parent
HEAVY = {
    "greenlet", "gevent", "eventlet", "trio", "anyio", "asyncio", "multiprocessing", "concurrent.interpreters",
    "typing", "dataclasses", "enum", "inspect", "argparse", "rich", "importlib.metadata",
}  # fmt: skip


LIGHT = ["", ".ring", "._usage", ".channel", "._channel_usage", ".pool", ".catalog"]


@pytest.mark.parametrize("module", [f"concmodels{name}" for name in LIGHT])
def test_what_children_import_is_light(module):
    program = f"import sys; import {module}; print(*sys.modules)"
    command = [sys.executable, "-S", "-c", program]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": str(PACKAGE.parent)})
    assert not HEAVY & set(out.stdout.split())


@pytest.mark.parametrize("program", ["ring", "pool"])
def test_a_program_imports_nothing_before_it_must(program):
    tree = ast.parse((PACKAGE / f"{program}.py").read_text())
    assert not [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]


@pytest.mark.parametrize("program", ["ring", "channel", "pool"])
def test_both_colours_are_one_program(program):
    functions = _functions(PACKAGE / f"{program}.py")
    colours = {name: it for name, it in functions.items() if name.startswith("async_")}
    assert colours
    for name, function in colours.items():
        plain = functions[name.removeprefix("async_")]
        assert ast.dump(_bleached(function)) == ast.dump(_bleached(plain)), name


@pytest.mark.parametrize("name", catalog.names())
def test_a_room_imports_no_other_room(name):
    facts = catalog.facts(name)
    path = PACKAGE / "models" / f"{facts.file}.py"
    if not path.exists():
        pytest.skip(f"{path.name} is not there yet")
    allowed = set(sys.stdlib_module_names) | set(facts.needs) | {"concmodels.errors"}
    allowed |= {"anyio": {"trio"}, "gevent": {"greenlet"}, "eventlet": {"greenlet"}}.get(name, set())  # stands on these
    if name == "tasklets":
        allowed.add("concmodels.models.greenlet_")  # it builds on that one's scheduler
    for module in _imported(path):
        if not module.startswith("concmodels.models._"):
            assert module in allowed or module.partition(".")[0] in allowed - {"concmodels"}, module


def _functions(path):
    return {node.name: node for node in ast.parse(path.read_text()).body if hasattr(node, "args")}


class _Bleach(ast.NodeTransformer):
    """Takes the colour out: no `async`, no `await`, no `async_` and `Async` in names."""

    def visit_AsyncFunctionDef(self, node):
        return self.visit(ast.FunctionDef(**vars(node)))

    def visit_FunctionDef(self, node):
        node.name = node.name.removeprefix("async_")
        node.body = node.body[1:]  # the docstring may differ
        return self.generic_visit(node)

    def visit_AsyncFor(self, node):
        return self.visit(ast.For(**vars(node)))

    def visit_AsyncWith(self, node):
        return self.visit(ast.With(**vars(node)))

    def visit_Await(self, node):
        return self.visit(node.value)

    def visit_Name(self, node):
        node.id = node.id.removeprefix("async_").removeprefix("Async")
        return node


def _bleached(function):
    return _Bleach().visit(function)


def _imported(path):
    """The modules that a file imports when it runs, wherever it does; not what only type checkers read."""
    tree = ast.parse(path.read_text())
    tree.body = [it for it in tree.body if not (isinstance(it, ast.If) and ast.unparse(it.test) == "TYPE_CHECKING")]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if node.module in ("concmodels", "concmodels.models") else node.module
