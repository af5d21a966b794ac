"""What an instruction accesses, found in the frame that is about to execute it.

A *thing* is a variable (a global name, a cell, an attribute of one object) or a container. A container has parts, so
that tasks which write different items of it are not taken for rivals:

    an item     `results[3]`; of a list also its shape is read, because the index may not be there yet
    the shape   which items there are: `len(items)`, `if items`, `items.append(x)`
    the whole   both: `items.pop()`, `for item in items`

An access is *atomic* if it is one call of C code, which no other thread can come in between: CPython documents this
of `append`, `pop`, `setdefault` ... The order of two such accesses may matter, but they are no data race.
"""

from collections.abc import Callable, Iterable, Sequence
from types import BuiltinFunctionType, BuiltinMethodType, FrameType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple

from concmodels.explore.preemption.expressions import CONTAINERS, METHODS, Unknown, Value, attribute, holders
from concmodels.explore.threads.tasks import local

if TYPE_CHECKING:
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


def accessed(site: Site, frame: FrameType, returned: Any, watched: Callable[[Any], bool]) -> Sequence[Accessed]:
    """Return what this instruction is about to access; nothing if it is nothing that tasks can share.

    `returned` is what the last call in this task has returned, None if that is not known; `watched` says whether a
    function's own instructions are looked at. Raises `Unknown` if it can't be found out.
    """
    return _OF_KIND[site.kind](site, frame, returned, watched)


def _variable(site: Site, frame: FrameType, returned: Any, _watched: object) -> Sequence[Accessed]:
    if site.kind == "attribute":
        return _attribute(site, frame, returned)
    owner = frame.f_globals if site.kind == "global" else site.cell_of
    return [Accessed(owner, site.variable, None, site.writes, False)]


def _attribute(site: Site, frame: FrameType, returned: Any) -> Sequence[Accessed]:
    owner = _owner(site, frame, returned)
    if isinstance(owner, local):
        return ()
    places = holders(owner, site.variable)
    if site.writes:
        places = [owner]
    return [Accessed(place, site.variable, None, site.writes, False) for place in places]


def _within(site: Site, frame: FrameType, returned: Any, _watched: object) -> Sequence[Accessed]:
    it = _value(site.owner, frame, returned)
    if not isinstance(it, CONTAINERS):
        return ()
    index = site.index(frame) if site.index is not None and isinstance(it, (dict, set)) else None
    return [_of_container(it, (index,) if isinstance(index, _INDEXES) else WHOLE, False, True)]


def _container(site: Site, frame: FrameType, returned: Any, _watched: object) -> Sequence[Accessed]:
    it = _value(site.owner, frame, returned)
    return [_of_container(it, WHOLE if site.writes else SHAPE, site.writes, True)] if isinstance(it, CONTAINERS) else ()


def _operands(site: Site, frame: FrameType, returned: Any, _watched: object) -> Sequence[Accessed]:
    return _read([_value(find, frame, returned) for find in site.arguments])


def _read(values: Iterable[Any]) -> list[Accessed]:
    """Return the accesses of one call of C code that reads all the items of these, as far as they are containers."""
    return [_of_container(it, WHOLE, False, True) for it in values if isinstance(it, CONTAINERS)]


def _iteration(site: Site, frame: FrameType, _returned: object, _watched: object) -> Sequence[Accessed]:
    iterated = [find(frame) for find in site.arguments if find is not None]
    return [_of_container(it, WHOLE, False, False) for it in iterated if isinstance(it, CONTAINERS)]


def _of_container(it: Any, part: Any, writes: bool, is_atomic: bool) -> Accessed:
    return Accessed(it, "", part, writes, is_atomic)


_INDEXES = (int, str, bytes, float, tuple, frozenset)
"""Types whose values are equal or not without running code of the program; of a tuple this is not certain."""


def _owner(site: Site, frame: FrameType, returned: Any) -> Any:
    if site.by_call and returned is not None:
        return returned
    if site.owner is None:
        raise Unknown
    return site.owner(frame)


def _value(find: Value | None, frame: FrameType, returned: Any) -> Any:
    """Return the value of a whole expression. A property that is written in Python has just returned it."""
    try:
        return None if find is None else find(frame)
    except Unknown:
        return returned


def _item(site: Site, frame: FrameType, returned: Any, _watched: object) -> Sequence[Accessed]:
    owner = _owner(site, frame, returned)
    if not isinstance(owner, CONTAINERS):
        return ()  # something of the program's own: its `__getitem__` is looked at itself
    index = site.index(frame) if site.index is not None else None
    if index is None or not isinstance(index, _INDEXES):
        return [_of_container(owner, WHOLE, site.writes, False)]
    if not isinstance(owner, dict):
        if isinstance(index, int) and index < 0:
            index += len(owner)
        shape = _of_container(owner, SHAPE, site.deletes, True)
        return [_of_container(owner, (index,), site.writes, False), shape]
    found = [_of_container(owner, (index,), site.writes, False)]
    if site.writes and (index not in owner or site.deletes):
        found.append(_of_container(owner, SHAPE, True, True))
    return found


_READ_ITEM = frozenset({"get"})
_WRITE_ITEM = frozenset({"setdefault", "add", "discard"})
_WRITE_SHAPE = frozenset({"append", "appendleft"})
_READ_WHOLE = frozenset(
    {
        "copy", "count", "difference", "index", "intersection", "isdisjoint", "issubset", "issuperset", "items",
        "keys", "symmetric_difference", "union", "values",
    }
)  # fmt: skip
_READERS = frozenset(
    {
        "all", "any", "bool", "bytes", "dict", "enumerate", "frozenset", "iter", "list", "max", "min", "print", "repr",
        "reversed", "set", "sorted", "str", "sum", "tuple", "zip",
    }
)  # fmt: skip
_LOOK_AT_NOTHING = frozenset({"isinstance", "id", "type", "callable", "hasattr", "getattr", "hash"})
_WRITING_MODULES = frozenset({"random", "heapq", "bisect"})


def _call(site: Site, frame: FrameType, returned: Any, watched: Callable[[Any], bool]) -> Sequence[Accessed]:
    try:
        owner = _owner(site, frame, returned) if site.owner is not None or site.by_call else None
    except Unknown:
        if site.variable in METHODS:
            raise
        return ()
    found = _method(owner, site, frame) if isinstance(owner, CONTAINERS) else []
    if site.unpacked:
        found += _read(_value(find, frame, None) for find in site.unpacked)
    given = _given(site, frame) if site.arguments else ()
    if not given:
        return found  # so are most calls: what is called makes no difference then
    try:
        called = attribute(owner, site.variable) if site.owner is not None else site.index and site.index(frame)
    except Unknown:
        return found
    if called is None or watched(called):
        return found
    for argument in given:
        found += _passed(argument, called)
    return found


def _given(site: Site, frame: FrameType) -> list[Any]:
    """Return the containers that a call is given."""
    given = []
    for find in site.arguments:
        try:
            argument = find(frame) if find is not None else None
        except Unknown:
            continue
        if isinstance(argument, CONTAINERS):
            given.append(argument)
    return given


def _method(owner: Any, site: Site, frame: FrameType) -> list[Accessed]:
    name = site.variable
    if isinstance(getattr(type(owner), name, None), FunctionType):
        return []  # written in Python
    by_key = isinstance(owner, (dict, set)) and (
        name in _READ_ITEM or name in _WRITE_ITEM or (name in ("pop", "remove") and site.arguments)
    )
    if by_key:
        key = site.arguments[0](frame) if site.arguments and site.arguments[0] is not None else None
        if isinstance(key, _INDEXES):
            writes = name not in _READ_ITEM
            item = _of_container(owner, (key,), writes, True)
            return [item, _of_container(owner, SHAPE, True, True)] if writes else [item]
    if name in _READ_WHOLE or name in _READ_ITEM:
        return [_of_container(owner, WHOLE, False, True)]
    return [_of_container(owner, SHAPE if name in _WRITE_SHAPE else WHOLE, True, True)]


def _passed(argument: Any, called: Any) -> list[Accessed]:
    """Return what a function does with a container that it is given."""
    name = getattr(called, "__name__", "")
    if isinstance(called, (BuiltinFunctionType, BuiltinMethodType)) or called in _TYPES:
        if name == "len":
            return [_of_container(argument, SHAPE, False, True)]
        if name not in _LOOK_AT_NOTHING and not isinstance(getattr(called, "__self__", None), CONTAINERS):
            return [_of_container(argument, WHOLE, name not in _READERS, True)]
    elif isinstance(called, (FunctionType, MethodType)):
        writes = getattr(called, "__module__", None) in _WRITING_MODULES
        return [_of_container(argument, WHOLE, writes, False)]
    return []


_TYPES = (list, dict, set, frozenset, tuple, bytes, bytearray, str, bool, enumerate, zip, reversed)

_OF_KIND = {
    "global": _variable, "cell": _variable, "attribute": _variable, "item": _item, "within": _within,
    "container": _container, "iteration": _iteration, "operands": _operands, "call": _call,
}  # fmt: skip
