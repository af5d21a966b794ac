"""Sites of calls, and which calls access nothing."""

import ast
from array import array
from collections.abc import Collection, Iterable, Iterator
from io import StringIO
from types import CodeType, GeneratorType

from concmodels.explore.preemption.expressions import is_local, value_of
from concmodels.explore.preemption.names import Names
from concmodels.explore.preemption.nodes import Instruction
from concmodels.explore.preemption.operands import operands_of
from concmodels.explore.preemption.site import Site
from concmodels.explore.preemption.table import MAKE_NEW, METHODS, SIMULATED
from concmodels.explore.threads.library import LOOK_AT_THREADS

_OF_LOCKS = frozenset(
    {
        "acquire", "get_ident", "is_alive", "is_set", "join", "locked", "monotonic", "notify", "notify_all", "release",
        "start", "wait", "Condition", "Event", "Lock", "RLock",
    }
)  # fmt: skip
"""What is called without a container, and is no method of anything else that is written in C."""
_TAKE_FUNCTIONS = frozenset({"add_done_callback", "map", "spawn", "start_soon", "submit"})
"""Methods that call what they are given, where nobody looks."""
_OF_BUILTINS = METHODS.union(*map(dir, (str, bytes, int, float, memoryview, GeneratorType, array, StringIO)))
_HARMLESS_MODULES = frozenset({*SIMULATED, "time", "typing", "dataclasses", "__future__"})
_NEVER_CALLED = ("args", "kwargs", "name", "daemon", "timeout", "maxsize", "value")
"""Keywords of the simulated modules whose values are not called."""


def of_call(it: Instruction, node: ast.Call, own_methods: Collection[str]) -> Site | None:
    """Return the site of a call, None if it accesses nothing."""
    if _accesses_nothing(node, it.code, it.nodes.names, own_methods):
        return None
    new = it.nodes.names.new
    method = node.func if isinstance(node.func, ast.Attribute) else None
    return Site(
        *it.at,
        "call",
        variable=method.attr if method else "",
        node=node,
        owner=value_of(method.value, it.code) if method else None,
        index=value_of(node.func, it.code),
        arguments=tuple(value_of(given, it.code) for given in _given_singly(node)),
        unpacked=operands_of(unpacked(node), it.code, new),
        passed=operands_of(_given(node), it.code, new),
        deep=True,
        calls_back=has_code(_given(node), it.nodes.names),
        begins=isinstance(node.func, ast.Name) and node.func.id in ("globals", "vars"),
    )


def has_code(nodes: Iterable[ast.AST], names: Names) -> bool:
    """Return whether a lambda, a generator expression or a new object of a class is in one of these expressions."""
    return any(
        isinstance(it, (ast.Lambda, ast.GeneratorExp))
        or (isinstance(it, ast.Call) and isinstance(it.func, ast.Name) and it.func.id in names.new - MAKE_NEW)
        for node in nodes
        for it in ast.walk(node)
    )


def _given(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(it.value for it in node.keywords)]


def _given_singly(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(it.value for it in node.keywords if it.arg)]


def unpacked(node: ast.Call) -> list[ast.expr]:
    """Return what a call unpacks: `f(*items, **names)`."""
    return [*starred(node.args), *(it.value for it in node.keywords if not it.arg)]


def starred(nodes: list[ast.expr]) -> list[ast.expr]:
    """Return those of the expressions that are unpacked, without their stars."""
    return [it.value for it in nodes if isinstance(it, ast.Starred)]


def _accesses_nothing(node: ast.Call, code: CodeType, names: Names, own_methods: Collection[str]) -> bool:
    """Whether a call can't access anything, whatever it is given; most are of functions that are watched themselves."""
    if unpacked(node):
        return False
    match node.func:
        case ast.Name(id=name):
            return name in names.known and not is_local(name, code)
        case ast.Attribute(attr=name) if name in own_methods or (name in _OF_LOCKS and not _given(node)):
            return True
        case ast.Attribute(attr=name) if name in LOOK_AT_THREADS:
            return False
        case ast.Attribute(value=ast.Name(id=module)) if module in names.modules and not is_local(module, code):
            may_be_called = [*node.args, *(it.value for it in node.keywords if it.arg not in _NEVER_CALLED)]
            return all(_is_kept(it, names) for it in may_be_called)
    return False


def _is_kept(node: ast.expr, names: Names) -> bool:
    """Whether this is no method of a container, which a thread could call."""
    if isinstance(node, ast.Name):
        return node.id in names.known
    return isinstance(node, (ast.Constant, ast.JoinedStr, ast.Lambda, ast.Tuple, ast.List, ast.Dict, ast.BinOp))


def own_methods_of(nodes: list[ast.AST]) -> frozenset[str]:
    """Return the names of methods that can only be the program's own, because it uses no other modules."""
    if any(name.partition(".")[0] not in _HARMLESS_MODULES for name in _imported(nodes)):
        return frozenset()
    bodies = [node.body for node in nodes if isinstance(node, ast.ClassDef)]
    methods = {it.name for body in bodies for it in body if isinstance(it, ast.FunctionDef)}
    return frozenset(methods - _OF_BUILTINS - _TAKE_FUNCTIONS)


def _imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (it.name for it in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
