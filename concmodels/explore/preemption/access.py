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
from gc import get_referents
from types import AsyncGeneratorType, BuiltinFunctionType, CodeType, FrameType, FunctionType, GeneratorType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from concmodels.explore.preemption.expressions import Torn, Unknown
from concmodels.explore.preemption.operands import Operands, Results, is_simulated, makes_new, result, value_or_returned
from concmodels.explore.preemption.table import BY_NAME
from concmodels.explore.preemption.things import MOST, TEED, compares_by_code, how, is_torn, parts, things

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


class DictsOfVariables(Protocol):
    """The dicts of attributes or global variables that a run has used (`namespaces.py`)."""

    def add_object(self, holder: Any) -> None:
        """Take note that the program gets the dict of an object, a class or a module. Raises `Elsewhere`."""

    def add_variables(self, variables: dict[str, Any]) -> None:
        """Take note that the program gets the variables of one of its own modules."""

    def with_variables(self, site: Site, found: Sequence[Accessed], program: Program) -> Sequence[Accessed]:
        """Return these accesses, and those of the variables that are items of these dicts. Raises `Elsewhere`."""


class Program(Results, Protocol):
    """The facts about the whole program that an access may depend on."""

    iterated: dict[tuple[int, int], tuple[Sequence[Any], Sequence[Accessed]]]
    """What each `for` goes through and how it accesses that, by the `id` of its frame and that of its expression."""

    @property
    def variables(self) -> frozenset[str]:
        """The names of all attributes and global variables that the program assigns."""

    @property
    def namespaces(self) -> DictsOfVariables:
        """The dicts of variables that the run has used."""

    @property
    def futures_tell(self) -> bool:
        """Whether futures and tasks of asyncio tell themselves who touches them."""

    def learn(self, code: CodeType) -> None:
        """Note from now on what this function of the library returns."""

    def defines(self, name: str) -> bool:
        """Return whether a function of the program has this name."""

    def assigns(self, name: str) -> bool:
        """Return whether the program assigns attributes of this name anywhere."""

    def names(self, name: str) -> bool:
        """Return whether this name is in the text of the program, be it as a text."""


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


def calls_back(operands: Operands, frame: FrameType, returned: Returned, *, goes_through: bool = False) -> bool:
    """Return whether to read one of these values may call code of the program: a generator, a function for `map`.

    Who only `goes_through` a container doesn't compare or hash what is in it.
    """
    for find in operands.found:
        try:
            value = find(frame)
            if not (goes_through and only_gives(value)) and runs_code(value):
                return True
        except Unknown:
            return True
    for find, name, _ in operands.made:
        try:
            called = find(frame)
        except Unknown:
            return True
        if returned is not None and name == returned[0]:
            if not (goes_through and only_gives(returned[1])) and runs_code(returned[1]):
                return True
        elif not makes_plain(called):
            return True
    return operands.is_unknown


def only_gives(value: Any) -> bool:
    """Return whether to go through this runs no code of the program: a container, or what a pool's `map` returns."""
    if type(value) is GeneratorType:
        return value.gi_frame is not None and is_simulated(value.gi_frame.f_globals.get("__name__"))
    return type(value) in _HOLD


_MAKE_PLAIN = (list, tuple, dict, set, frozenset, deque, range, str, int, float, bool, bytes, bytearray)


def makes_plain(called: Any) -> bool:
    """Return whether what this returns is new, and gives its items without running code of the program."""
    return any(called is it for it in _MAKE_PLAIN) or (type(called) is BuiltinFunctionType and makes_new(called))


def runs_code(value: Any, depth: int = 0) -> bool:
    """Return whether to call this, to go through it, to compare or to hash it may run code of the program.

    What is not known may do so. A function of Python's own does only what those do that it is given.
    """
    kind = type(value)
    if kind in _PLAIN:
        return False
    if kind in _HOLD:
        items = dict.keys(value) if kind is dict else value
        return len(items) > _MOST_KEYS or any(runs_code(it, depth + 1) for it in items)
    if how(kind) in ("iterator", "view") or kind is TEED:
        inner = [it for it in get_referents(value) if it is not kind]
        return kind in _GENERATORS or depth > _MOST_DEEP or any(runs_code(it, depth + 1) for it in inner)
    if callable(value):
        return getattr(value, "__module__", None) != "builtins" or value.__name__ in BY_NAME
    return _has_special_methods(kind)


def _has_special_methods(kind: type) -> bool:
    known = _SPECIAL.get(kind)
    if known is None:
        if len(_SPECIAL) > _MOST_KEYS:
            _SPECIAL.clear()  # each run makes the classes of its program anew
        own = (vars(base) for base in kind.__mro__ if not is_simulated(base.__module__))
        names = {name for it in own for name, method in it.items() if isinstance(method, FunctionType)} - _HARMLESS
        known = _SPECIAL[kind] = any(name == "keys" or name.startswith("__") for name in names)
    return known


_SPECIAL: dict[type, bool] = {}
_PLAIN = frozenset({int, str, bool, float, complex, bytes, bytearray, range, slice, type(None), type(...)})
_HOLD = frozenset({list, tuple, dict, set, frozenset, deque})
_GENERATORS = frozenset({GeneratorType, AsyncGeneratorType})
_HARMLESS = frozenset(
    {
        "__init__", "__new__", "__del__", "__enter__", "__exit__", "__aenter__", "__aexit__",
        "__set_name__", "__init_subclass__", "__class_getitem__", "__post_init__",
    }
)  # fmt: skip
"""Special methods that Python doesn't call to compare objects, to hash them or to go through them."""
_MOST_DEEP = 5


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


def of_opaque(it: Any, writes: bool) -> list[Accessed]:
    """Return the accesses of an object of which nothing is known, and of the containers that it has."""
    return [of_container(part, WHOLE, writes, True) for part, _ in things(it, deep=False)]


_NEVER_TORN = frozenset({list, dict, set, deque, bytearray})


def read(values: Iterable[Any], *, deep: bool) -> list[Accessed]:
    """Return the accesses of one call of C code that reads all of these, as far as they can change."""
    found = [of_container(it, WHOLE, changes, True) for value in values for it, changes in things(value, deep=deep)]
    if deep and any(compares_by_code(it.owner) for it in found):
        return [it._replace(calls_back=True) for it in found]
    return found


def holds_plain(it: Any) -> bool:
    """Return whether all that is in a container is a text or a number: what is compared with them isn't looked into."""
    return how(type(it)) in ("container", "tuple") and _PLAIN.issuperset(map(type, parts(it)))


_PLAIN = _INDEXES | {type(None)}


def must_show_itself(values: Iterable[Any], program: Program, *, deep: bool = True) -> None:
    """Raise `Torn` if generated code reads attributes that the program assigns: that of a dataclass, or of attrs.

    It does so to compare, to hash or to show such an object, and with `deep` also those that are in containers.
    """
    for kind in _kinds(values, deep=deep):
        fields = getattr(kind, "__dataclass_fields__", None) or [it.name for it in getattr(kind, "__attrs_attrs__", ())]
        if fields and any(program.assigns(name) for name in fields):
            raise Torn


def _kinds(values: Iterable[Any], *, deep: bool) -> set[type]:
    """Return the types of these, and of what is in them. Raises `Unknown` if there are too many containers."""
    kinds: set[type] = set()
    left, seen = list(values), set()
    while left:
        value = left.pop()
        kinds.add(type(value))
        if not deep or id(value) in seen or how(type(value)) not in ("container", "tuple", "view"):
            continue
        seen.add(id(value))
        if len(seen) > MOST:
            raise Unknown
        found = parts(value)
        inner = set(map(type, found))
        kinds |= inner
        if any(how(kind) in ("container", "tuple", "view") for kind in inner):
            left += found
    return kinds
