"""The operands of an instruction: the expressions whose values it reads, found in the text once.

Which value an expression has, is found in the frame: that of a simple one by evaluating it once more, and that of a
call by what the callee has just returned. Of all others nothing can be known but that they make something new, which
no other task has: a sum, a list display, what `len` or `sorted` return.
"""

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from operator import attrgetter, methodcaller
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, Protocol
from weakref import ProxyTypes

from concmodels.explore.preemption.expressions import Elsewhere, Unknown, Value, value_of
from concmodels.explore.preemption.table import CONTAINERS, GIVE_NEW, MAKE_NEW, OF_NUMBERS, SIMULATED
from concmodels.explore.preemption.things import elements, how

type Position = tuple[int | None, int | None, int | None, int | None]

type Returned = tuple[str, Any] | None
"""The name of the function that has returned last, and what it has; None if that is not known."""

NEW: Any = object()
"""Something that no other task has."""

_VIEWS = ("keys", "values", "items")
_LAZY = ("enumerate", "zip", "reversed", "iter", "map", "filter")
_COPIES = ("list", "tuple", "set", "frozenset", "dict", "sorted")
_OF_LIBRARY = frozenset(
    {
        "_is_set", "acquire", "active_count", "as_completed", "cancel", "cancelled", "current_thread", "done", "empty",
        "enumerate", "full", "get_ident", "getName", "is_alive", "is_set", "isDaemon", "locked", "main_thread", "map",
        "monotonic", "perf_counter", "qsize", "running", "spawn", "submit", "time", "wait",
    }
)  # fmt: skip
"""What functions of the simulated modules are called that return truth values, numbers, or objects of these modules."""
_TOLD = frozenset({"name", "ident", "daemon", "native_id", "__name__", "__qualname__", "__class__", "__doc__"})
"""Attributes that are texts and numbers, unless the program says otherwise."""
_PLAIN_FUNCTION = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR: not one of these


def is_of_library(called: Any) -> bool:
    """Whether this belongs to what the explorer simulates, which notes itself what tasks share."""
    return is_simulated(getattr(called, "__module__", None))


def is_simulated(module: str | None) -> bool:
    """Return whether the explorer simulates the module of this name."""
    return (module or "").partition(".")[0] in SIMULATED


class Results(Protocol):
    """The functions that are called, and what they have returned, as far as that is known."""

    def watches(self, called: Any) -> bool:
        """Return whether the instructions of this function are looked at themselves."""

    def has_learned(self, code: CodeType) -> bool:
        """Return whether it is noted what this function of the library returns."""

    def result_of(self, frame: FrameType, where: Position) -> Any:
        """Return what the call at this position has returned in this frame. Raises `Unknown`."""


@dataclass(frozen=True, slots=True)
class Operands:
    """Finds the values of some expressions."""

    found: tuple[Value, ...] = ()
    """Of simple expressions, and of what others are made of."""
    made: tuple[tuple[Value, str, Position], ...] = ()
    """The functions of those that are calls, the name of the one that has returned last, and where the calls are."""
    is_unknown: bool = False
    """Whether there are others."""

    def __bool__(self) -> bool:
        return bool(self.found or self.made or self.is_unknown)

    def values(self, frame: FrameType, returned: Returned, program: Results) -> list[Any]:
        """Return their values, as far as other tasks may have them. Raises `Unknown` if there are more."""
        values = []
        for find in self.found:
            value = value_or_returned(find, frame, returned)
            if type(value) not in SIMPLEST:
                values.append(value)
        for find, name, where in self.made:
            if returned is not None and name == returned[0]:
                values.append(returned[1])
            elif (value := result(find(frame), returned if name else None, program, frame, where)) is not NEW:
                values.append(value)
        if self.is_unknown:
            raise Unknown
        return values


SIMPLEST = frozenset({int, str, bool, float, type(None)})
"""Types whose values are most often met, and which can't change."""

NOTHING = Operands()
UNFOLLOWED = Operands(is_unknown=True)


def value_or_returned(find: Value, frame: FrameType, returned: Returned) -> Any:
    """Return the value of an expression. A property that is written in Python has just returned it."""
    try:
        value = find(frame)
    except Unknown:
        if returned is None:
            raise
        return returned[1]
    if type(value) in ProxyTypes:
        raise Unknown  # nothing tells what it stands for
    return value


def result(
    called: Any, returned: Returned, program: Results, frame: FrameType | None = None, where: Position | None = None
) -> Any:
    """Return what a call of this has returned; `NEW` if it can be no other task's. Raises `Unknown`.

    It is what was `returned` last, or what the call `where` in this frame has returned.
    """
    if isinstance(called, MethodType):
        called = called.__func__
    if isinstance(called, FunctionType):
        return _of_function(called, returned, program, frame, where)
    if isinstance(called, type):
        if called.__module__ == "itertools" or called is type:
            raise Unknown  # it goes through what it was given, or returns a class that there is
        if called in (attrgetter, methodcaller, partial):
            raise Elsewhere  # what it is given to may call it, which no instruction tells
        if isinstance(called.__new__, FunctionType) and not issubclass(called, (tuple, Enum)):
            raise Unknown
        make: Any = type(called).__call__
        if isinstance(make, FunctionType) and not issubclass(called, Enum):
            raise Unknown  # its metaclass may give what it has made before
        return NEW
    if isinstance(called, BuiltinFunctionType) and makes_new(called):
        return NEW
    raise Unknown


def _of_function(
    called: FunctionType, returned: Returned, program: Results, frame: FrameType | None, where: Position | None
) -> Any:
    code = called.__code__
    if code.co_flags & _PLAIN_FUNCTION or (is_of_library(called) and called.__name__ in _OF_LIBRARY):
        return NEW
    if not program.watches(called) and not program.has_learned(code):
        raise Unknown
    if returned is not None and returned[0] == code.co_name:
        return returned[1]
    if frame is None or where is None:
        raise Unknown
    return program.result_of(frame, where)


def makes_new(called: BuiltinFunctionType) -> bool:
    """Return whether what this returns is new, and is no iterator."""
    owner, name = called.__self__, called.__name__
    if owner is None or isinstance(owner, ModuleType):
        module = called.__module__ or ""
        return name in MAKE_NEW if module == "builtins" else module in OF_NUMBERS
    if isinstance(owner, CONTAINERS):
        return name in GIVE_NEW
    return how(type(owner)) == "plain"


def operands_of(nodes: Iterable[ast.AST], code: CodeType, new: Collection[str] = ()) -> Operands:
    """Return what finds the values of these expressions. A call of one of the names in `new` makes something new."""
    nodes = list(nodes)
    last = max((number for number, node in enumerate(nodes) if has_call(node)), default=-1)
    operands = [
        _operand(part, code, new, has_returned_last=number == last and part is node)
        for number, node in enumerate(nodes)
        for part in _parts(node, code)
    ]
    return Operands(
        found=tuple(find for it in operands for find in it.found),
        made=tuple(made for it in operands for made in it.made),
        is_unknown=any(it.is_unknown for it in operands),
    )


def _operand(node: ast.AST, code: CodeType, new: Collection[str], *, has_returned_last: bool) -> Operands:
    """Return what finds the value of one expression, whose parts are not asked for."""
    if not isinstance(node, ast.Call):
        find = value_of(node, code)
        return UNFOLLOWED if find is None else Operands(found=(find,))
    called = node.func.id if isinstance(node.func, ast.Name) else ""
    if called in _COPIES:
        copied = operands_of(node.args, code, new)
        return Operands(tuple(map(_inside, copied.found)), is_unknown=copied.is_unknown or bool(copied.made))
    if called in new:
        return NOTHING
    find = value_of(node.func, code)
    if find is None:
        return UNFOLLOWED
    where = node.lineno, node.end_lineno, node.col_offset, node.end_col_offset
    return Operands(made=((find, name_of_function(node.func) if has_returned_last else "", where),))


def _inside(find: Value) -> Value:
    """Return what finds the items of a container: a copy of it is new, and has the same ones."""
    return lambda frame: tuple(elements(find(frame)))


def name_of_function(func: ast.AST) -> str:
    """Return by which name a function is called; empty if it has none."""
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def has_call(node: ast.AST) -> bool:
    """Return whether something is called in an expression."""
    return any(isinstance(it, (ast.Call, ast.Await)) for it in ast.walk(node))


_HAVE_READ = (
    ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.JoinedStr, ast.Lambda,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Slice,
)  # fmt: skip
"""Expressions that make something new. What they read, their own instructions have read before."""


def _parts(node: ast.AST, code: CodeType) -> Iterator[ast.AST]:
    """Yield the expressions to whose values that of this one leads; one that can't be evaluated is unknown."""
    inner = _inner(node, code)
    if inner is None:
        yield node
    else:
        for it in inner:
            yield from _parts(it, code)


def _inner(node: ast.AST, code: CodeType) -> Sequence[ast.AST] | None:
    """Return the expressions that this one only hands on, or puts together; None if its value is to be found itself."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return parts
        case ast.BoolOp(values=parts) | ast.TemplateStr(values=parts):
            return parts
        case ast.Dict(keys=keys, values=values):
            return [*(key for key in keys if key is not None), *values]
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
        case ast.NamedExpr(value=value) | ast.Starred(value=value) | ast.FormattedValue(value=value):
            return [value]
        case ast.Interpolation(value=value):
            return [value]
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in _VIEWS:
            return [owner]
        case ast.Call(func=ast.Name(id=name), args=parts) if name in _LAZY:
            return parts
        case ast.Call(func=ast.Name(id="partial") | ast.Attribute(attr="partial"), args=parts, keywords=named):
            return [*parts, *(it.value for it in named)]
        case ast.Call(func=ast.Attribute(value=ast.Name(id="itertools")), args=parts, keywords=named):
            return [*parts, *(it.value for it in named)]
        case ast.Attribute(attr=name) if name in _TOLD and value_of(node, code) is None:
            return []
        case ast.Subscript(value=owner) if value_of(node, code) is None:
            return [owner]
    return [] if isinstance(node, _HAVE_READ) else None
