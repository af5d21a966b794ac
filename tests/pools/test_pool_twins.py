"""The sync and the async pools are one text: methods of one name are equal, but for `async` and `await`."""

import ast
from pathlib import Path

import pytest

import concmodels

POOLS = Path(concmodels.__file__).parent / "models" / "pools"

TWINS = {
    "Pool": (["mapping.py", "executor.py"], "awaited.py"),
    "Workers": (["workers.py"], "awaited_workers.py"),
}
"""Where the methods of a sync class stand, and those of its async twin."""

DIFFERENT = {
    "Pool.__init__": "a sync pool starts its workers at once, an async one in `async with`",
    "Pool.workers": "an async pool has no workers before that",
    "Pool.__repr__": "an async pool can also be not open yet",
    "Pool._map": "an async iterator is a class, since nobody closes an asynchronous generator that is dropped",
    "Workers.__init__": "a sync group says itself what its cancellation is and which task runs",
    "Workers.start": "a sync group is opened without a body, an async one around the body of the pool",
    "Workers._initialize": "an async pool awaits what the initializer returns, if that can be awaited",
    "Workers._pass_on": "a loop brings Ctrl-C to main by itself",
    "Workers._worker_ended": "an async pool that was shut down has ended with its last worker",
    "Workers.leave": "an async group leaves with the body of the pool",
    "Workers.join": "the first task that joins a sync pool leaves its group",
}
"""The methods that both have and that can't be the same, and why."""

NAMES = {"wait_async": "wait", "Handle": "Future"}
"""What something is called in an async pool, and in a sync one."""


class Bleach(ast.NodeTransformer):
    """Makes a text sync; removes docstrings, types, and the checks that only one of the two kinds of models needs."""

    def visit_AsyncFunctionDef(self, node):
        return self.visit(ast.FunctionDef(**vars(node)))

    def visit_FunctionDef(self, node):
        node.returns = None
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:]
        return self.generic_visit(node)

    def visit_AsyncFor(self, node):
        return self.visit(ast.For(**vars(node)))

    def visit_Await(self, node):
        return self.visit(node.value)

    def visit_Name(self, node):
        node.id = NAMES.get(node.id, node.id)
        return node

    def visit_If(self, node):
        """Remove `if hasattr(type(value), "__await__")`: in an async model both kinds of functions can be tasks."""
        return None if "'__await__'" in ast.unparse(node.test) else self.generic_visit(node)

    def visit_Expr(self, node):
        """Remove `check_call(...)`: in a sync model only plain functions can."""
        return None if ast.unparse(node).startswith("check_call(") else self.generic_visit(node)


def methods(name, *files):
    """The methods of a class, with those of its base and without the functions beside it."""
    return {
        f"{name}.{method.name}": method
        for file in files
        for it in ast.parse((POOLS / file).read_text()).body
        if isinstance(it, ast.ClassDef) and it.name in (name, f"Async{name}", "MappingExecutor")
        for method in it.body
        if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef))
    }


PAIRS = [
    (method, plain[method], awaited[method])
    for name, (files, twin) in TWINS.items()
    for plain, awaited in [(methods(name, *files), methods(name, twin))]
    for method in plain
    if method in awaited
]
"""Each method that both have: its name, the sync one and the async one."""


def text(method):
    return ast.unparse(Bleach().visit(method))


@pytest.mark.parametrize(("name", "plain", "awaited"), PAIRS, ids=[name for name, *_ in PAIRS])
def test_twins_are_equal(name, plain, awaited):
    if name in DIFFERENT:
        assert text(plain) != text(awaited), f"{name} need not be in DIFFERENT any more"
    else:
        assert text(awaited) == text(plain)


def test_what_may_differ_is_there():
    assert DIFFERENT.keys() <= {name for name, *_ in PAIRS}
