"""What an instruction accesses, found in the frame that is about to execute it.

A *thing* is a variable (a global name, a cell, an attribute of one object) or a container. A container has parts, so
that tasks which write different items of it are not taken for rivals:

    an item     `results[3]`; of a list also its shape is read, because the index may not be there yet
    the shape   which items there are: `len(items)`, `if items`, `items.append(x)`
    the whole   both: `items.pop()`, `for item in items`

An access is *atomic* if it is one call of C code, which no other thread can come in between: CPython documents this
of `append`, `pop`, `setdefault` ... The order of two such accesses may matter, but they are no data race.
"""

import ast
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from functools import partial
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from concmodels.explore.preemption.expressions import CONTAINERS, METHODS, Unknown, attribute, holders
from concmodels.explore.preemption.operands import NEW, SIMPLEST, Results, is_of_library, result, value_or_returned
from concmodels.explore.preemption.things import elements, how, things
from concmodels.explore.threads.tasks import local

if TYPE_CHECKING:
    from concmodels.explore.preemption.operands import Returned
    from concmodels.explore.preemption.sites import Site

SHAPE = "shape"
WHOLE = "whole"


class Accessed(NamedTuple):
    """One access of an instruction."""

    owner: Any
    """The object that is accessed, or one of whose attributes is; of a global variable the module's variables."""
    name: str
    """The name of the variable; empty for a container."""
    part: Any
    """None for a variable, (index,) for an item."""
    writes: bool
    is_atomic: bool


class Program(Results, Protocol):
    """What is to be known of the whole program."""

    iterated: dict[tuple[int, int], tuple[Sequence[Any], Sequence[Accessed]]]
    """What each `for` goes through and how it accesses that, by the `id` of its frame and that of its expression."""

    def learn(self, code: CodeType) -> None:
        """Note from now on what this function of the library returns."""

    def defines(self, name: str) -> bool:
        """Return whether a function of the program has this name."""

    def assigns(self, name: str) -> bool:
        """Return whether the program assigns attributes of this name anywhere."""


def accessed(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    """Return what this instruction is about to access; nothing if it is nothing that tasks can share.

    `returned` is what the last call in this task has returned. Raises `Unknown` if it can't be found out.
    """
    return _OF_KIND[site.kind](site, frame, returned, program)


def _unfollowed(_site: object, _frame: object, _returned: object, _program: object) -> Sequence[Accessed]:
    raise Unknown


def _variable(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    if site.kind == "attribute":
        return _attribute(site, frame, returned, program)
    owner = frame.f_globals if site.kind == "global" else site.cell_of
    return [Accessed(owner, site.variable, None, site.writes, False)]


def _attribute(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    owner = _owner(site, frame, returned, program)
    if owner is NEW or isinstance(owner, local):
        return ()
    places = holders(owner, site.variable)
    if site.writes:
        places = [vars(owner) if isinstance(owner, ModuleType) else owner]
    return [Accessed(place, site.variable, None, site.writes, False) for place in places]


def _within(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    if site.owner is None:
        return _operands(site, frame, returned, program)
    it = value_or_returned(site.owner, frame, returned)
    if not isinstance(it, (dict, set)):
        return _read([it], deep=True)
    index = _index(site, frame)
    return [_of_container(it, (index,) if isinstance(index, _INDEXES) else WHOLE, False, True)]


def _index(site: Site, frame: FrameType) -> Any:
    """Return the index or key; None if it can't be found out."""
    try:
        return None if site.index is None else site.index(frame)
    except Unknown:
        return None


def _container(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    found = _operands(site, frame, returned, program) if site.operands else []
    if site.owner is None:
        return found
    it = value_or_returned(site.owner, frame, returned)
    if isinstance(it, CONTAINERS):
        found.append(_of_container(it, WHOLE if site.writes else SHAPE, site.writes, True))
    elif how(type(it)) == "opaque":
        found.append(_of_container(it, WHOLE, site.writes, True))
    return found


def _operands(site: Site, frame: FrameType, returned: Returned, program: Program) -> list[Accessed]:
    values = site.operands.values(frame, returned, program)
    if not values:
        return []
    if site.deep:
        _must_show_itself(values, program)
    return _read(values, deep=site.deep)


def _truth(site: Site, frame: FrameType, returned: Returned, program: Program) -> list[Accessed]:
    values = site.operands.values(frame, returned, program)
    return [_of_container(it, SHAPE, False, True) for it in values if how(type(it)) in ("container", "opaque")]


def _must_show_itself(values: Iterable[Any], program: Program) -> None:
    """Raise `Unknown` if generated code reads attributes that the program assigns: that of a dataclass."""
    for value in values:
        fields = getattr(type(value), "__dataclass_fields__", None)
        if fields and any(program.assigns(name) for name in fields):
            raise Unknown


def _read(values: Iterable[Any], *, deep: bool) -> list[Accessed]:
    """Return the accesses of one call of C code that reads all of these, as far as they can change."""
    return [_of_container(it, WHOLE, changes, True) for value in values for it, changes in things(value, deep=deep)]


def _iteration(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    """What the next item is taken from; for the instruction that begins a loop, find that out."""
    key = id(frame), id(site.node)
    if not site.begins:
        known = program.iterated.get(key)
        return _taken(_given_to_generator(frame)) if known is None else known[1]
    program.iterated[key] = (), ()
    values = site.operands.values(frame, returned, program)
    program.iterated[key] = values, _taken(values)
    found = (it for value in values for it, _ in things(value, deep=False))
    return [_of_container(it, SHAPE, False, True) for it in found if isinstance(it, (dict, set))]


def _taken(values: Iterable[Any]) -> list[Accessed]:
    """Return the accesses of an instruction that takes the next item."""
    return [_of_container(it, WHOLE, changes, False) for value in values for it, changes in things(value, deep=False)]


def _given_to_generator(frame: FrameType) -> Sequence[Any]:
    """Return what a generator expression goes through, which is found outside of it."""
    given = frame.f_locals.get(".0")
    return () if given is None else (given,)


def _element(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    """What is unpacked of an item that a `for` has just got."""
    known = program.iterated.get((id(frame), id(site.node)))
    values: Sequence[Any] = site.operands.values(frame, None, program) if known is None else known[0]
    if isinstance(site.node, ast.Name):
        values = [it for value in values for it in elements(value)]
    return _read(values, deep=True)


def _of_container(it: Any, part: Any, writes: bool, is_atomic: bool) -> Accessed:
    return Accessed(it, "", part, writes, is_atomic)


_INDEXES = (int, str, bytes, float, tuple, frozenset)
"""Types whose values are equal or not without running code of the program; of a tuple this is not certain."""


def _owner(site: Site, frame: FrameType, returned: Returned, program: Program) -> Any:
    if site.made_by is not None:
        return result(site.made_by(frame), returned, program)
    if site.owner is None:
        raise Unknown
    return value_or_returned(site.owner, frame, returned)


def _item(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    found = _operands(site, frame, returned, program) if site.operands else []
    owner = _owner(site, frame, returned, program)
    if not isinstance(owner, CONTAINERS):
        if how(type(owner)) == "opaque":
            found.append(_of_container(owner, WHOLE, site.writes, True))
        return found  # something of the program's own: its `__getitem__` is looked at itself
    index = _index(site, frame)
    if index is None or not isinstance(index, _INDEXES):
        found.append(_of_container(owner, WHOLE, site.writes, False))
    elif not isinstance(owner, dict):
        if isinstance(index, int) and index < 0:
            index += len(owner)
        found.append(_of_container(owner, (index,), site.writes, False))
        found.append(_of_container(owner, SHAPE, site.deletes, True))
    else:
        found.append(_of_container(owner, (index,), site.writes, False))
        if site.writes and (index not in owner or site.deletes):
            found.append(_of_container(owner, SHAPE, True, True))
    return found


def _pattern(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    """What the pattern of a class reads: attributes, which are not followed."""
    kind = site.owner(frame) if site.owner is not None else None
    names = getattr(kind, "__match_args__", ())[: site.positional]
    if any(program.assigns(name) for name in (*names, *site.names)):
        raise Unknown
    return ()


_READ_ITEM = frozenset({"get"})
_WRITE_ITEM = frozenset({"setdefault", "add", "discard"})
_WRITE_SHAPE = frozenset({"append", "appendleft"})
_READ_SHAPE = frozenset({"__len__"})
_READ_WHOLE = frozenset(
    {
        "copy", "count", "difference", "index", "intersection", "isdisjoint", "issubset", "issuperset", "items",
        "keys", "most_common", "symmetric_difference", "total", "union", "values", "elements", "decode", "find",
        "startswith", "endswith", "__contains__", "__iter__", "__getitem__", "__eq__", "__reversed__", "__add__",
    }
)  # fmt: skip
_KEEP = frozenset(
    {"append", "appendleft", "add", "insert", "setdefault", "get", "pop", "discard", "__setitem__", "__getitem__"}
)
"""Methods of containers that look at nothing that is in their arguments."""
_READERS = frozenset(
    {
        "all", "any", "bool", "bytes", "bytearray", "dict", "enumerate", "frozenset", "iter", "list", "map", "filter",
        "max", "min", "print", "repr", "ascii", "format", "join", "reversed", "set", "sorted", "str", "sum", "tuple",
        "zip", "fsum", "prod", "deepcopy", "copy", "dumps", "deque", "array", "chain", "next",
    }
)  # fmt: skip
_SHALLOW = frozenset(
    {"list", "tuple", "dict", "enumerate", "iter", "map", "filter", "next", "reversed", "zip", "deque", "chain"}
)
_LOOK_AT_NOTHING = frozenset(
    {
        "abs", "callable", "chr", "delattr", "divmod", "float", "getattr", "hasattr", "hash", "id", "int", "isinstance",
        "issubclass", "ord", "pow", "range", "round", "setattr", "sleep", "type", "partial", "super", "object",
        "property", "staticmethod", "classmethod", "complex", "open", "input",
    }
)  # fmt: skip
_WRITING_MODULES = frozenset({"random", "heapq", "bisect"})


def _call(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    found = _read(site.unpacked.values(frame, returned, program), deep=False) if site.unpacked else []
    called, owner = _called(site, frame, returned, program)
    if site.is_wanted and is_of_library(called) and isinstance(called, (FunctionType, MethodType)):
        program.learn(called.__code__)
    if called is NEW or (type(called) is not BuiltinFunctionType and program.watches(called)):
        return found
    if isinstance(called, partial):
        raise Unknown
    found += _of_method(site, frame, called, owner)
    if site.passed and not (site.variable in _KEEP and type(owner) in CONTAINERS):
        found += _passed(site, frame, returned, called, program)
    return found


def _called(site: Site, frame: FrameType, returned: Returned, program: Program) -> tuple[Any, Any]:
    """Return what is called and the object whose method it is, as far as it is known; `NEW` if it is no access."""
    if not site.is_method:
        try:
            called = site.index(frame) if site.index is not None else None
        except Unknown:
            called = None
        return _by_itself(called, site, frame)
    try:
        owner = _owner(site, frame, returned, program)
    except Unknown:
        if site.variable in _OF_PLAIN or program.defines(site.variable):
            return NEW, None
        raise
    if owner is NEW:
        return NEW, None
    if site.of_super:
        return None, owner
    if type(owner) in CONTAINERS:
        return getattr(owner, site.variable, None), owner
    kind = type(owner)
    if (
        kind is not ModuleType
        and how(kind) == "plain"
        and not site.is_wanted
        and not (site.passed and _may_pass(site, frame))
    ):
        return NEW, None  # so are most calls: what is called makes no difference then
    try:
        called = attribute(owner, site.variable)
    except Unknown:
        return None, owner
    return _by_itself(called, site, frame) if type(owner) is ModuleType else (called, owner)


def _by_itself(called: Any, site: Site, frame: FrameType) -> tuple[Any, Any]:
    """Return a function or class that is no method by its name, and its object if it is one nevertheless."""
    owner = getattr(called, "__self__", None)
    if type(owner) in _NO_OWNERS and type(called) in _PLAIN_CALLS and not _may_pass(site, frame):
        return NEW, None
    return called, owner


_NO_OWNERS = (ModuleType, type(None))
_PLAIN_CALLS = (BuiltinFunctionType, FunctionType, type)


def _may_pass(site: Site, frame: FrameType) -> bool:
    """Whether a call is given anything that can change, or that changes something when it is called."""
    passed = site.passed
    if passed.made or passed.is_unknown:
        return True
    for find in passed.found:
        try:
            kind = type(find(frame))
        except Unknown:
            return True
        if kind not in SIMPLEST and (kind in _CALLABLE or how(kind) != "plain"):
            return True
    return False


_CALLABLE = (BuiltinFunctionType, partial)


def _of_method(site: Site, frame: FrameType, called: Any, owner: Any) -> list[Accessed]:
    """Return what a method does to its own object."""
    kind = how(type(owner))
    if kind == "container":
        return _method(owner, site, frame, site.variable or called.__name__)
    if kind in ("iterator", "opaque"):
        return [_of_container(it, WHOLE, it is owner, True) for it, _ in things(owner, deep=False)]
    if kind == "view":
        return _read([owner], deep=False)
    if how(type(called)) == "opaque" or (called is not None and _of_stdlib(owner, called)):
        return [_of_container(called if owner is None else owner, WHOLE, True, True)]
    return []


def _of_stdlib(owner: Any, called: Any) -> bool:
    """Whether this is a method of a class of Python's library, whose code is not looked at."""
    if not isinstance(called, MethodType) or isinstance(owner, type):
        return False
    module = (getattr(called, "__module__", None) or "").partition(".")[0]
    return module in sys.stdlib_module_names and not is_of_library(called) and module not in _HARMLESS_MODULES


_HARMLESS_MODULES = frozenset(
    {"abc", "contextlib", "dataclasses", "datetime", "enum", "fractions", "logging", "pathlib", "typing"}
)


def _method(owner: Any, site: Site, frame: FrameType, name: str) -> list[Accessed]:
    by_key = isinstance(owner, (dict, set)) and (
        name in _READ_ITEM or name in _WRITE_ITEM or (name in ("pop", "remove") and site.arguments)
    )
    if by_key:
        try:
            key = site.arguments[0](frame) if site.arguments and site.arguments[0] is not None else None
        except Unknown:
            key = None
        if isinstance(key, _INDEXES):
            writes = name not in _READ_ITEM
            item = _of_container(owner, (key,), writes, True)
            return [item, _of_container(owner, SHAPE, True, True)] if writes else [item]
    if name in _READ_SHAPE:
        return [_of_container(owner, SHAPE, False, True)]
    if name in _READ_WHOLE or name in _READ_ITEM:
        return [_of_container(owner, WHOLE, False, True)]
    return [_of_container(owner, SHAPE if name in _WRITE_SHAPE else WHOLE, True, True)]


def _passed(site: Site, frame: FrameType, returned: Returned, called: Any, program: Program) -> list[Accessed]:
    """Return what a function that is not watched does with what it is given. Raises `Unknown`."""
    name = getattr(called, "__name__", "")
    if name in _LOOK_AT_NOTHING or (isinstance(getattr(called, "__self__", None), CONTAINERS) and name in _KEEP):
        return []
    keeps = type(called) is not BuiltinFunctionType and _keeps(called)
    values = []
    for value in site.passed.values(frame, returned, program) if not keeps else _known(site, frame):
        while isinstance(value, partial):
            value = value.func
        if type(value) is BuiltinFunctionType and how(type(value.__self__)) not in ("plain", "tuple"):
            raise Unknown  # it is called where nobody looks
        values.append(value)
    if keeps or not values:
        return []
    if name == "len":
        return [_of_container(it, SHAPE, False, True) for it in values if isinstance(it, CONTAINERS)]
    _must_show_itself(values, program)
    of_python = isinstance(called, (FunctionType, MethodType))
    if of_python:
        writes = (getattr(called, "__module__", None) or "") in _WRITING_MODULES
    else:
        writes = name not in _READERS and not isinstance(getattr(called, "__self__", None), (str, bytes, *CONTAINERS))
    deep = name not in _SHALLOW
    found = (it for value in values for it in things(value, deep=deep))
    return [_of_container(it, WHOLE, writes or changes, not of_python) for it, changes in found]


def _known(site: Site, frame: FrameType) -> Iterator[Any]:
    for find in site.passed.found:
        try:
            yield find(frame)
        except Unknown:
            continue


def _keeps(called: Any) -> bool:
    """Whether this only keeps what it is given: an exception, a class of the program, what starts a thread."""
    if is_of_library(called):
        return True
    if not isinstance(called, type):
        return False
    if called.__module__ == "builtins":
        return issubclass(called, BaseException)
    return called.__module__ not in sys.stdlib_module_names


_OF_PLAIN = (
    frozenset(
        name
        for kind in (str, bytes, int, float, threading.Thread, threading.Condition, threading.Event, Future, Executor)
        for name in (*dir(kind), "put", "put_nowait", "task_done")
    )
    - METHODS
)
"""Methods of what can't change, and of what the explorer simulates."""

_OF_KIND = {
    "global": _variable, "cell": _variable, "attribute": _variable, "item": _item, "within": _within,
    "container": _container, "iteration": _iteration, "element": _element, "operands": _operands, "truth": _truth,
    "pattern": _pattern, "unfollowed": _unfollowed, "call": _call,
}  # fmt: skip
