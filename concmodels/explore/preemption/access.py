"""An access of an instruction, and what is found in the same way for several kinds of sites.

A *thing* is a variable (a global name, a cell, an attribute of one object) or a container. A container has parts, so
that tasks which write different items of it are not taken for rivals:

    an item     `results[3]`; of a list also its shape is read, because the index may not be there yet
    the shape   which items there are: `len(items)`, `if items`, `items.append(x)`
    the whole   both: `items.pop()`, `for item in items`

An access is *atomic* if it is one call of C code, which no other thread can come in between: CPython documents this
of `append`, `pop`, `setdefault` ... The order of two such accesses may matter, but they are no data race.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from enum import Enum
from functools import partial
from gc import get_referents
from inspect import CO_GENERATOR
from types import CodeType, FrameType, FunctionType, GeneratorType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from concmodels.explore.preemption.expressions import Torn, Unknown
from concmodels.explore.preemption.operands import Operands, Results, result, value_or_returned
from concmodels.explore.preemption.things import compares_by_code, how, is_torn, things

if TYPE_CHECKING:
    from concmodels.explore.preemption.operands import Returned
    from concmodels.explore.preemption.site import Site


SHAPE = "shape"
WHOLE = "whole"
_INDEXES = frozenset({int, str, bool, bytes, float})
"""Types whose values are hashed and compared without running code of the program. A subclass may do that."""


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
    calls_back: bool = False
    """Whether it is a call of C code that calls code of the program in the middle: others see it half done."""


class Program(Results, Protocol):
    """The facts about the whole program that an access may depend on."""

    iterated: dict[tuple[int, int], tuple[Sequence[Any], Sequence[Accessed]]]
    """What each `for` goes through and how it accesses that, by the `id` of its frame and that of its expression."""

    @property
    def futures_tell(self) -> bool:
        """Whether futures and tasks of asyncio tell themselves who touches them."""

    def learn(self, code: CodeType) -> None:
        """Note from now on what this function of the library returns."""

    def defines(self, name: str) -> bool:
        """Return whether a function of the program has this name."""

    def assigns(self, name: str) -> bool:
        """Return whether the program assigns attributes of this name anywhere."""


def owner_of(site: Site, frame: FrameType, returned: Returned, program: Program) -> Any:
    """Return the object whose attribute, item or method it is; `NEW` if no other task has it. Raises `Unknown`."""
    if site.made_by is not None:
        return result(site.made_by(frame), returned, program)
    if site.owner is None:
        raise Unknown
    return value_or_returned(site.owner, frame, returned)


def index_of(site: Site, frame: FrameType) -> Any:
    """Return the index or key, or what is called; None if it can't be found out."""
    try:
        return None if site.index is None else site.index(frame)
    except Unknown:
        return None


def calls_back(operands: Operands, frame: FrameType) -> bool:
    """Return whether to read one of these values calls code of the program: a generator, a function for `map`."""
    for find in operands.found:
        try:
            value = find(frame)
        except Unknown:
            return True
        if _is_code(value):
            return True
    for find, *_ in operands.made:
        try:
            called = find(frame)
        except Unknown:
            return True
        if isinstance(called, FunctionType):
            if called.__code__.co_flags & CO_GENERATOR:
                return True
        elif isinstance(called, type) and _gives_items(called):
            return True
    return operands.is_unknown


def _is_code(value: Any) -> bool:
    kind = type(value)
    if kind in _CODE or _gives_items(kind):
        return True
    return how(kind) == "iterator" and any(type(it) in _CODE or _gives_items(type(it)) for it in get_referents(value))


def _gives_items(kind: type) -> bool:
    """Return whether code of the program gives the items of these objects."""
    return any(isinstance(getattr(kind, name, None), FunctionType) for name in ("__iter__", "__next__", "keys"))


_CODE = frozenset({FunctionType, MethodType, GeneratorType, partial})


def is_index(index: Any) -> bool:
    """Return whether this is known to be an index or key that is compared without running code of the program."""
    kind = type(index)
    if kind is tuple or kind is frozenset:
        return all(map(is_index, index))
    return kind in _INDEXES or (isinstance(index, Enum) and not isinstance(kind.__eq__, FunctionType))


def may_be_new(owner: dict[Any, Any], key: Any) -> bool:
    """Return whether a key may be in none of the items: it is not asked for if that may run the `==` of another key."""
    if len(dict.keys(owner)) > _MOST_KEYS or not _INDEXES.issuperset(map(type, dict.keys(owner))):
        return True
    return not dict.__contains__(owner, key)


_MOST_KEYS = 1000


def of_container(it: Any, part: Any, writes: bool, is_atomic: bool) -> Accessed:
    """Return the access of a part of a container."""
    kind = type(it)
    return Accessed(it, "", part, writes, is_atomic, kind not in _NEVER_TORN and is_torn(kind))


_NEVER_TORN = frozenset({list, dict, set, deque, bytearray})


def read(values: Iterable[Any], *, deep: bool) -> list[Accessed]:
    """Return the accesses of one call of C code that reads all of these, as far as they can change."""
    found = [of_container(it, WHOLE, changes, True) for value in values for it, changes in things(value, deep=deep)]
    if deep and any(compares_by_code(it.owner) for it in found):
        return [it._replace(calls_back=True) for it in found]
    return found


def must_show_itself(values: Iterable[Any], program: Program) -> None:
    """Raise `Torn` if generated code reads attributes that the program assigns: that of a dataclass, or of attrs."""
    for value in values:
        kind = type(value)
        fields = getattr(kind, "__dataclass_fields__", None) or [it.name for it in getattr(kind, "__attrs_attrs__", ())]
        if fields and any(program.assigns(name) for name in fields):
            raise Torn
