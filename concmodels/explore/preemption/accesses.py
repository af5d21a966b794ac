"""What an instruction accesses, found in the frame that is about to execute it.

A *thing* is a variable (a global name, a cell, an attribute of one object) or a container. A container has parts, so
that tasks which write different items of it are not taken for rivals:

    an item     `results[3]`; of a list also its shape is read, because the index may not be there yet
    the shape   which items there are: `len(items)`, `if items`, `items.append(x)`
    the whole   both: `items.pop()`, `for item in items`

An access is *atomic* if it is one call of C code, which no other thread can come in between: CPython documents this
of `append`, `pop`, `setdefault` ... The order of two such accesses may matter, but they are no data race.
"""

from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, BuiltinMethodType, FrameType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple

from concmodels.explore.preemption.expressions import CONTAINERS, Unknown, holders
from concmodels.explore.threads.tasks import local

if TYPE_CHECKING:
    from concmodels.explore.preemption.sites import Site

SHAPE = "shape"
WHOLE = "whole"


class Thing(NamedTuple):
    """What is accessed: an object, and which attribute of it; for a container and for a cell only the object."""

    owner: Any
    name: str = ""

    @property
    def identity(self) -> tuple[int, str]:
        """What tells it from all other things, as long as the object lives."""
        return id(self.owner), self.name


class Accessed(NamedTuple):
    """One access of an instruction; `part` is None for a variable, (index,) for an item."""

    thing: Thing
    part: Any
    writes: bool
    is_atomic: bool


def accessed(site: Site, frame: FrameType, returned: Any, watched: Callable[[Any], bool]) -> Iterator[Accessed]:
    """Yield what this instruction is about to access; nothing if it is nothing that tasks can share.

    `returned` is what the last call in this task has returned, None if that is not known; `watched` says whether a
    function's own instructions are looked at. Raises `Unknown` if it can't be found out.
    """
    match site.kind:
        case "global":
            yield Accessed(Thing(frame.f_globals, site.variable), None, site.writes, False)
        case "cell":
            yield Accessed(Thing(site.cell_of, site.variable), None, site.writes, False)
        case "attribute":
            owner = _owner(site, frame, returned)
            if not isinstance(owner, local):
                places = holders(owner, site.variable)
                for place in [owner] if site.writes else places:
                    yield Accessed(Thing(place, site.variable), None, site.writes, False)
        case "item":
            yield from _item(_owner(site, frame, returned), site, frame)
        case "within":
            it = _value(site, frame, returned)
            if isinstance(it, CONTAINERS):
                index = site.index(frame) if site.index is not None and isinstance(it, (dict, set)) else None
                yield Accessed(Thing(it), (index,) if isinstance(index, _INDEXES) else WHOLE, False, True)
        case "container":
            it = _value(site, frame, returned)
            if isinstance(it, CONTAINERS):
                yield Accessed(Thing(it), WHOLE if site.writes else SHAPE, site.writes, True)
        case "iteration":
            for find in site.arguments:
                it = find(frame) if find is not None else None
                if isinstance(it, CONTAINERS):
                    yield Accessed(Thing(it), WHOLE, False, False)
        case "call":
            yield from _call(site, frame, returned, watched)


_INDEXES = (int, str, bytes, float, tuple, frozenset)
"""Types whose values are equal or not without running code of the program; of a tuple this is not certain."""


def _owner(site: Site, frame: FrameType, returned: Any) -> Any:
    if site.by_call and returned is not None:
        return returned
    if site.owner is None:
        raise Unknown
    return site.owner(frame)


def _value(site: Site, frame: FrameType, returned: Any) -> Any:
    """Return the value of a whole expression. A property that is written in Python has just returned it."""
    try:
        return None if site.owner is None else site.owner(frame)
    except Unknown:
        return returned


def _item(owner: Any, site: Site, frame: FrameType) -> Iterator[Accessed]:
    if not isinstance(owner, CONTAINERS):
        return  # something of the program's own: its `__getitem__` is looked at itself
    thing = Thing(owner)
    index = site.index(frame) if site.index is not None else None
    if index is None or not isinstance(index, _INDEXES):
        yield Accessed(thing, WHOLE, site.writes, False)
        return
    if isinstance(owner, dict):
        yield Accessed(thing, (index,), site.writes, False)
        if site.writes and (index not in owner or site.deletes):
            yield Accessed(thing, SHAPE, True, True)
    else:
        if isinstance(index, int) and index < 0:
            index += len(owner)
        yield Accessed(thing, (index,), site.writes, False)
        yield Accessed(thing, SHAPE, site.deletes, True)


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


def _call(site: Site, frame: FrameType, returned: Any, watched: Callable[[Any], bool]) -> Iterator[Accessed]:
    try:
        owner = _owner(site, frame, returned) if site.owner is not None or site.by_call else None
    except Unknown:
        owner = None
        if site.variable in _METHODS:
            raise
    if isinstance(owner, CONTAINERS):
        yield from _method(owner, site, frame)
    try:
        called = site.index(frame) if site.index is not None else None
    except Unknown:
        return
    if called is None or watched(called):
        return
    for find in site.arguments:
        try:
            argument = find(frame) if find is not None else None
        except Unknown:
            continue
        if isinstance(argument, CONTAINERS):
            yield from _passed(argument, called)


_METHODS = frozenset({name for it in CONTAINERS for name in dir(it) if not name.startswith("_")})


def _method(owner: Any, site: Site, frame: FrameType) -> Iterator[Accessed]:
    name, thing = site.variable, Thing(owner)
    if isinstance(getattr(type(owner), name, None), FunctionType):
        return  # written in Python
    by_key = isinstance(owner, (dict, set)) and (
        name in _READ_ITEM or name in _WRITE_ITEM or (name in ("pop", "remove") and site.arguments)
    )
    if by_key:
        key = site.arguments[0](frame) if site.arguments and site.arguments[0] is not None else None
        if isinstance(key, _INDEXES):
            writes = name not in _READ_ITEM
            yield Accessed(thing, (key,), writes, True)
            if writes:
                yield Accessed(thing, SHAPE, True, True)
            return
    if name in _READ_WHOLE or name in _READ_ITEM:
        yield Accessed(thing, WHOLE, False, True)
    else:
        yield Accessed(thing, SHAPE if name in _WRITE_SHAPE else WHOLE, True, True)


def _passed(argument: Any, called: Any) -> Iterator[Accessed]:
    """What a function does with a container that it is given."""
    thing, name = Thing(argument), getattr(called, "__name__", "")
    if isinstance(called, (BuiltinFunctionType, BuiltinMethodType)) or called in _TYPES:
        if name == "len":
            yield Accessed(thing, SHAPE, False, True)
        elif name not in _LOOK_AT_NOTHING and not isinstance(getattr(called, "__self__", None), CONTAINERS):
            yield Accessed(thing, WHOLE, name not in _READERS, True)
    elif isinstance(called, (FunctionType, MethodType)):
        writes = getattr(called, "__module__", None) in _WRITING_MODULES
        yield Accessed(thing, WHOLE, writes, False)


_TYPES = (list, dict, set, frozenset, tuple, bytes, bytearray, str, bool, enumerate, zip, reversed)
