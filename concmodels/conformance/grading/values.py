"""Compiles the guarantees so that a failed `assert a == b` shows the value of `a`, without pytest."""

import ast
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from types import CodeType, ModuleType

from concmodels.conformance import sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_OPERATORS = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_IMPORT = f"from {__name__} import in_words as _in_words"
_LONGEST = 70  # characters of a value


def show_values() -> None:
    """Compile guarantees that are imported from now on, sync and async, so that failed asserts show values."""
    sync.Loader.form = _form("syncshown", lambda text, path: compile_shown(sync.without_await(text), path))
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)


def compile_shown(text: str, path: str) -> CodeType:
    """Compile a text so that its failed asserts show values."""
    tree = _Shown().visit(ast.parse(text))
    tree.body[1:1] = ast.parse(_IMPORT).body  # after the docstring
    return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


def in_words(left: str, operator: str, right: str, seen: object, wanted: object) -> str:
    """Return the message of a failed comparison: what was found, and what should have been found."""
    was = "" if _short(seen) == left else f" was {_short(seen)}, and"
    should = "should have been" if operator == "==" else f"should have been {operator}"
    meaning = "" if _short(wanted) == right else f", which is `{right}`"
    return f"`{left}`{was} {should} {_short(wanted)}{meaning}{_first_difference(seen, wanted)}"


def _first_difference(seen: object, wanted: object) -> str:
    """Return where two lists begin to differ, if they are too long to be shown."""
    if not (isinstance(seen, list) and isinstance(wanted, list) and len(repr(wanted)) > _LONGEST):
        return ""
    pairs = zip(seen, wanted, strict=False)
    at = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(seen), len(wanted)))
    return f" ({len(seen)} items instead of {len(wanted)}; the first {at} agree)"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 20]} ... {text[-15:]}"


class _Shown(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        if node.msg is not None:
            return [node]
        test = node.test
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            parts = [ast.copy_location(ast.Assert(part), node) for part in test.values]
            return [statement for part in parts for statement in self.visit_Assert(part)]
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            return [_located(it, node) for it in _compared(test)]
        return [ast.copy_location(ast.Assert(test, ast.Constant(f"`{ast.unparse(test)}` should be true")), node)]


def _located(statement: ast.stmt, node: ast.AST) -> ast.stmt:
    """Give a statement, and all that is in it, the place of this node."""
    for inner in ast.walk(statement):
        ast.copy_location(inner, node)
    return statement


def _compared(test: ast.Compare) -> list[ast.stmt]:
    """Return statements that evaluate both sides of a comparison only once, and keep them for the message."""
    left, right = ast.unparse(test.left), ast.unparse(test.comparators[0])
    operator = _OPERATORS[type(test.ops[0])]
    words = f"_in_words({left!r}, {operator!r}, {right!r}, _left, _right)"
    statements = ast.parse(f"_left = 0; _right = 0\nassert _left {operator} _right, {words}").body
    for statement, value in zip(statements, (test.left, test.comparators[0]), strict=False):
        statement.value = value  # type: ignore[attr-defined]
    return statements


def _form(name: str, make: Callable[[str, str], CodeType]) -> sync.Form:
    """Return a form that is made with `compile_shown`; its code is made anew when this file has changed."""
    with open(__file__, encoding="utf-8") as file:
        return sync.Form(name, make, file.read())


class _Loader(SourceFileLoader):
    """Loads a chapter of the async text, and never the .pyc under the file's name: that would not show values."""

    def get_code(self, fullname: str) -> CodeType:
        return _form("shown", compile_shown).code(self.get_data(self.path).decode(), self.path)


class _Finder:
    """Finds the chapters of the async text."""

    @staticmethod
    def find_spec(fullname: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        package, _, chapter = fullname.rpartition(".")
        if package != sync.__name__.removesuffix("sync") + "guarantees":
            return None
        file = sync.file_of(chapter)
        return spec_from_file_location(fullname, file, loader=_Loader(fullname, file))
