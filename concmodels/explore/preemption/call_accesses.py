"""Finds what a call accesses: its own object, and what it is given."""

import ast
import builtins
import sys
import threading
from abc import ABCMeta
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from functools import cache, partial, update_wrapper
from io import IOBase
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CoroutineType,
    FrameType,
    FunctionType,
    MethodType,
    ModuleType,
)
from typing import TYPE_CHECKING, Any
from weakref import ReferenceType

from concmodels.explore.preemption.access import (
    SHAPE,
    WHOLE,
    Accessed,
    Program,
    calls_back,
    index_of,
    is_index,
    must_show_itself,
    of_container,
    of_opaque,
    only_gives,
    owner_of,
    read,
)
from concmodels.explore.preemption.by_name import NAMED_BY_ARGUMENTS, accesses_by_name, of_named
from concmodels.explore.preemption.common import FILES, INTERPRETER, touched
from concmodels.explore.preemption.expressions import LOOK_UP, AtOnce, Elsewhere, Torn, Unknown, attribute, value_of
from concmodels.explore.preemption.operands import NEW, SIMPLEST, Operands, is_of_library
from concmodels.explore.preemption.table import (
    CONTAINERS,
    KEEP,
    LATER,
    LOOK_AT_NOTHING,
    LOOK_INSIDE,
    METHODS,
    PLAIN_OBJECTS,
    READ_ITEM,
    READ_SHAPE,
    READ_THEIR_ARGUMENTS,
    READ_WHOLE,
    READERS,
    READING_METHODS,
    SHALLOW,
    TOLD_BY_FUTURES,
    WRITE_ITEM,
    WRITE_SHAPE,
    WRITE_THEIR_ARGUMENTS,
    is_followed,
    name_of,
)
from concmodels.explore.preemption.things import elements, how, is_shown, is_torn, things
from concmodels.explore.threads.given import calls_what_it_is_given
from concmodels.explore.threads.library import LOOK_AT_THREADS

if TYPE_CHECKING:
    from concmodels.explore.preemption.operands import Returned
    from concmodels.explore.preemption.site import Site


_LRU_CACHE = type(cache(id))


def of_call(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    """Return what a call is about to access, as `accessed`; nothing if the callee is looked at itself."""
    if site.is_method and _is_of_program(site, frame, program):
        return ()
    found = read(_unpacked(site, frame, returned, program), deep=False) if site.unpacked else []
    find = _called_method if site.is_method else _called_function
    called, owner = find(site, frame, returned, program)
    if site.is_wanted and is_of_library(called) and isinstance(called, (FunctionType, MethodType)):
        program.learn(called.__code__)
    if type(called) is MethodType and type(called.__func__) is _LRU_CACHE:
        called = called.__func__
    if type(called) is ReferenceType:
        raise Unknown  # whether its object is alive, no access tells
    if called is NEW or (type(called) not in (BuiltinFunctionType, _LRU_CACHE) and program.watches(called)):
        return found
    if accesses_by_name(called):
        return [*found, *of_named(site, frame, called, owner, program)]
    if called is update_wrapper:
        raise AtOnce
    if isinstance(called, partial):
        called, owner = _what_calls(called, program), None
        if called is NEW:
            return found
    if type(called) is _LRU_CACHE:
        found.append(Accessed(called, "", WHOLE, True, False, calls_back=True))
    if (outside := touched(called, owner, _arguments(site, frame))) is not None:
        thing, name, writes = outside
        if called is not print or program.assigns(name):
            found.append(Accessed(thing, name, None if name else WHOLE, writes, True))
    if called is print and not is_shown(sys.stdout):
        found.append(of_container(sys.stdout, WHOLE, True, True))
    if isinstance(owner, (dict, set)):
        must_show_itself([_first_argument(site, frame)], program)  # which is hashed
    found += _of_method(site, frame, called, owner)
    if site.passed and not (site.variable in KEEP and type(owner) in CONTAINERS):
        found += _passed(site, frame, returned, called, program)
    if found and _calls_back(site, frame, returned, called, owner):
        found = [it if it.name else it._replace(calls_back=True) for it in found]
    return found


def takes_container(site: Site, frame: FrameType) -> bool:
    """Return whether an instruction reads or writes a container that it names, whatever else it does.

    `accessed` finds that, too, after it has gone through what is in the container.
    """
    try:
        if site.kind == "operands":
            return _is_any_container(site.operands, frame)
        if not site.is_call:
            return False
        if site.is_method:
            is_plain = site.owner is not None and not site.of_super and site.variable in METHODS
            return is_plain and type(site.owner(frame)) in CONTAINERS  # type: ignore[misc]
        called = None if site.index is None else site.index(frame)
        return type(called) is BuiltinFunctionType and called in _READ_ALL and _is_any_container(site.passed, frame)
    except Unknown:
        return False


def _is_any_container(operands: Operands, frame: FrameType) -> bool:
    return any(type(find(frame)) in CONTAINERS for find in operands.found)


_READ_ALL = frozenset(it for name, it in vars(builtins).items() if name in READERS or name == "len")


def _what_calls(called: partial[Any], program: Program) -> Any:
    """Return the function that a `partial` calls, if that is given nothing else that can change; `NEW` if that is
    looked at itself."""
    if type(called.func) in (FunctionType, MethodType) and program.watches(called.func):
        return NEW
    given = (*called.args, *called.keywords.values())
    is_function = type(called.func) is BuiltinFunctionType and type(called.func.__self__) is ModuleType
    if not is_function or accesses_by_name(called.func) or not SIMPLEST.issuperset(map(type, given)):
        raise Elsewhere
    _must_be_followed(called.func)
    return called.func


def _is_of_program(site: Site, frame: FrameType, program: Program) -> bool:
    """Whether this is a method of a class of the program, which is looked at itself: most calls are of these."""
    if site.unpacked or site.owner is None or site.of_super:
        return False
    try:
        owner = site.owner(frame)
    except Unknown:
        return False
    kind = type(owner)
    method = kind.__dict__.get(site.variable)
    return (
        type(method) is FunctionType
        and kind.__getattribute__ is LOOK_UP
        and site.variable not in getattr(owner, "__dict__", ())
        and program.watches(method)
    )


def _unpacked(site: Site, frame: FrameType, returned: Returned, program: Program) -> list[Any]:
    """Return what a call unpacks that can change: what is in a tuple is only handed on."""
    return [it for it in site.unpacked.values(frame, returned, program) if type(it) is not tuple]


def _calls_back(site: Site, frame: FrameType, returned: Returned, called: Any, owner: Any) -> bool:
    """Whether a call of C code calls code of the program before it is done with what it accesses."""
    name = site.variable or getattr(called, "__name__", "")
    if isinstance(called, (FunctionType, MethodType)) or (name in KEEP and type(owner) in CONTAINERS):
        return False
    goes_through = called is list or called is tuple or name in ("extend", "extendleft", "__iadd__")
    if goes_through and returned is not None and _is_only(site, returned[0]) and only_gives(returned[1]):
        return False
    if site.calls_back or (site.passed and calls_back(site.passed, frame, returned, goes_through=goes_through)):
        return True
    is_sort = name == "sort" and isinstance(owner, list)
    return is_sort and (
        bool(site.passed)
        or any(isinstance(getattr(kind, "__lt__", None), FunctionType) for kind in set(map(type, list.__iter__(owner))))
    )


def _is_only(site: Site, name: str) -> bool:
    """Whether a call is given what a call of this name has returned, and nothing else."""
    return not site.passed.found and [made for _, made, _ in site.passed.made] == [name]


def may_call_back(site: Site, frame: FrameType) -> bool:
    """Whether an instruction of which nothing is known may call code of the program in the middle."""
    if site.kind != "call":
        return False
    return site.calls_back or site.variable == "sort" or (bool(site.passed) and calls_back(site.passed, frame, None))


def _called_function(site: Site, frame: FrameType, returned: Returned, program: Program) -> tuple[Any, Any]:
    """As `_called_method`, for a call of what is no attribute."""
    called = index_of(site, frame)
    if called is None and returned is not None and returned[0] == site.calls_result_of:
        called = returned[1]
    if called is None:
        raise Unknown
    if type(called) not in (BuiltinFunctionType, _LRU_CACHE) and program.watches(called):
        return NEW, None
    return _by_itself(called, site, frame)


def _called_method(site: Site, frame: FrameType, returned: Returned, program: Program) -> tuple[Any, Any]:
    """Return what is called and the object whose method it is, as far as it is known; `NEW` if it is no access."""
    if site.variable in NAMED_BY_ARGUMENTS and not site.of_super:
        return _by_name(site, frame, returned, program)
    try:
        owner = owner_of(site, frame, returned, program)
    except Unknown:
        if site.variable in _OF_PLAIN or program.defines(site.variable):
            return NEW, None
        raise
    if owner is NEW:
        is_own = program.defines(site.variable) or site.variable in _OF_PLAIN
        return (NEW if is_own or not (site.passed and _may_pass(site, frame)) else None), None
    if site.of_super:
        called = _found_by_super(site, owner, frame)
        if called is object.__new__ or program.watches(called):
            return NEW, None
        return called if called is None or accesses_by_name(called) else None, owner
    if type(owner) in CONTAINERS:
        return getattr(owner, site.variable, None), owner
    if type(owner) is FunctionType or (site.variable == "register" and isinstance(owner, ABCMeta)):
        _must_be_followed(getattr(attribute(owner, site.variable), "__func__", attribute(owner, site.variable)))
    if _makes_no_difference(site, frame, type(owner)):
        return NEW, None  # so are most calls
    try:
        called = attribute(owner, site.variable)
    except Unknown:
        return None, owner
    return _by_itself(called, site, frame) if type(owner) is ModuleType else (called, owner)


def _by_name(site: Site, frame: FrameType, returned: Returned, program: Program) -> tuple[Any, Any]:
    """As `_called_method`, for `__setattr__` and the like, whose arguments tell what they access."""
    try:
        owner = owner_of(site, frame, returned, program)
        return (NEW, None) if owner is NEW else (attribute(owner, site.variable), owner)
    except Unknown:
        raise Elsewhere from None


def _found_by_super(site: Site, owner: Any, frame: FrameType) -> Any:
    """Return the method that `super()` finds in this frame, without running code of the program; None if unknown."""
    kind = frame.f_locals.get("__class__")
    match site.node:
        case ast.Call(func=ast.Attribute(value=ast.Call(args=[first, _]))):
            find = value_of(first, site.code)
            kind = find(frame) if find is not None else None
    bases = (owner if isinstance(owner, type) else type(owner)).__mro__
    if kind not in bases:
        return None
    rest = bases[bases.index(kind) + 1 :]
    found = next((vars(base)[site.variable] for base in rest if site.variable in vars(base)), None)
    return getattr(found, "__func__", found)


def _makes_no_difference(site: Site, frame: FrameType, kind: type) -> bool:
    """Whether what is called makes no difference: a method of something plain that is given nothing to change."""
    if kind is ModuleType or how(kind) != "plain" or site.is_wanted or issubclass(kind, _HAVE_STATE):
        return False
    return not (_is_cached(kind, site.variable) or (site.passed and _may_pass(site, frame)))


_HAVE_STATE = (Path, _LRU_CACHE, BaseException)
"""Plain as these objects are, some of their methods change something."""


def _is_cached(kind: type, name: str) -> bool:
    """Whether a method of this class has a cache."""
    for base in kind.__mro__:
        if (found := base.__dict__.get(name)) is not None:
            return type(found) is _LRU_CACHE
    return False


def _by_itself(called: Any, site: Site, frame: FrameType) -> tuple[Any, Any]:
    """Return a function or class that is no method by its name, and its object if it is one nevertheless."""
    if accesses_by_name(called) or called is update_wrapper:
        return called, None
    if getattr(called, "__name__", "") in LOOK_AT_THREADS and is_of_library(called) and not called.is_told():
        raise AtOnce  # the start and the end of a thread don't tell that they change what this counts
    if touched(called, None, []) is not None or type(called) is _LRU_CACHE:
        return called, getattr(called, "__self__", None)
    _must_be_followed(called)
    owner = getattr(called, "__self__", None)
    if type(owner) in _NO_OWNERS and type(called) in _PLAIN_CALLS and not _may_pass(site, frame):
        return NEW, None
    return called, owner


def _must_be_followed(called: Any) -> None:
    """Raise `Unknown` if no row says what this shares with others: `Torn` if it is many steps."""
    if not is_followed(called):
        raise Elsewhere if name_of(called) in LATER else Torn if isinstance(called, FunctionType) else Unknown


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
        if kind not in SIMPLEST and (kind in _CALLABLE or _may_have_state(kind) or how(kind) != "plain"):
            return True
    return False


def _may_have_state(kind: type) -> bool:
    return "__firstlineno__" in vars(kind) or issubclass(kind, BaseException)


_CALLABLE = (BuiltinFunctionType, partial)
_FUNCTIONS = (BuiltinFunctionType, FunctionType)


def _of_method(site: Site, frame: FrameType, called: Any, owner: Any) -> list[Accessed]:
    """Return what a method does to its own object."""
    kind = how(type(owner))
    if site.variable == "add_note" and isinstance(owner, BaseException):
        return [Accessed(owner, "__notes__", None, True, True)]
    if kind == "container":
        return _method(owner, site, frame, site.variable or called.__name__)
    if type(owner) is _LRU_CACHE:
        return [of_container(owner, WHOLE, site.variable == "cache_clear", True)]
    if kind in ("iterator", "opaque"):
        reads = _only_reads_itself(owner, site.variable or getattr(called, "__name__", ""))
        only_itself = kind == "iterator" and not isinstance(owner, IOBase)
        found = [
            of_container(it, WHOLE, not reads and (not only_itself or _is_own(it, owner)), True)
            for it, _ in things(owner, deep=False)
        ]
        return [it._replace(calls_back=True) for it in found] if is_torn(type(owner)) else found
    if kind == "view":
        return read([owner], deep=False)
    if how(type(called)) == "opaque" or (called is not None and _of_stdlib(owner, called)):
        return of_opaque(called if owner is None else owner, True)
    return []


def _is_own(it: Any, owner: Any) -> bool:
    """Whether a method of an iterator changes this, which else it goes through."""
    return it is owner or it is FILES or it is INTERPRETER


def _only_reads_itself(owner: Any, name: str) -> bool:
    """Whether a method changes nothing of its object."""
    return any(isinstance(owner, kind) and name in names for kind, names in READING_METHODS.items())


def _arguments(site: Site, frame: FrameType) -> list[Any]:
    """Return what a call is given singly, None for what can't be found out."""
    found: list[Any] = []
    for find in site.arguments:
        try:
            found.append(None if find is None else find(frame))
        except Unknown:
            found.append(None)
    return found


def _of_stdlib(owner: Any, called: Any) -> bool:
    """Whether this is a method of a class of Python's library, whose code is not looked at."""
    if not isinstance(called, MethodType) or isinstance(owner, type):
        return False
    module = (getattr(called, "__module__", None) or "").partition(".")[0]
    return module in sys.stdlib_module_names and not is_of_library(called) and module not in PLAIN_OBJECTS


def _method(owner: Any, site: Site, frame: FrameType, name: str) -> list[Accessed]:
    """Return what the method of this name does to a container."""
    by_key = name in READ_ITEM or name in WRITE_ITEM or (name in ("pop", "remove") and site.arguments)
    if by_key and isinstance(owner, (dict, set)):
        key = _first_argument(site, frame)
        if is_index(key):
            writes = name not in READ_ITEM
            item = of_container(owner, (key,), writes, True)
            return [item, of_container(owner, SHAPE, True, True)] if writes else [item]
    if name in READ_SHAPE:
        return [of_container(owner, SHAPE, False, True)]
    if name in READ_WHOLE or name in READ_ITEM:
        return [of_container(owner, WHOLE, False, True)]
    return [of_container(owner, SHAPE if name in WRITE_SHAPE else WHOLE, True, True)]


def _first_argument(site: Site, frame: FrameType) -> Any:
    """Return the first argument; None if there is none, or if it can't be found out."""
    try:
        return site.arguments[0](frame) if site.arguments and site.arguments[0] is not None else None
    except Unknown:
        return None


def _passed(site: Site, frame: FrameType, returned: Returned, called: Any, program: Program) -> list[Accessed]:
    """Return what a function that is not watched does with what it is given. Raises `Unknown`."""
    name = getattr(called, "__name__", "")
    if name in LOOK_AT_NOTHING or (isinstance(getattr(called, "__self__", None), CONTAINERS) and name in KEEP):
        return []
    if calls_what_it_is_given(called):
        return []  # it is looked at there
    if type(called) is not BuiltinFunctionType and _keeps(called):
        _may_be_called(_known(site, frame))
        return []
    values = _may_be_called(site.passed.values(frame, returned, program))
    if not values:
        return []
    if name == "len":
        found = (it for value in values for it, _ in things(value, deep=False))
        return [of_container(it, SHAPE if isinstance(it, CONTAINERS) else WHOLE, False, True) for it in found]
    must_show_itself(values, program, deep=name == "dict" or name not in SHALLOW)
    of_python = isinstance(called, (FunctionType, MethodType))
    module = getattr(called, "__module__", None) or ""
    is_of_tasks = of_python and module.partition(".")[0] in TOLD_BY_FUTURES and all(map(_is_of_tasks, values))
    if _looks_inside(called, site, frame) and any(_has_variables(it, program) for it in values):
        raise Torn
    only_reads = is_of_tasks or _only_reads(called, program)
    if of_python and not only_reads and any(type(it) not in _CAN_T_BE_CHANGED for it in values):
        raise Torn
    if of_python:
        writes = module in WRITE_THEIR_ARGUMENTS or (is_of_tasks and not program.futures_tell)
    else:
        writes = name not in READERS and not isinstance(getattr(called, "__self__", None), (str, bytes, *CONTAINERS))
    deep = name not in SHALLOW
    found = (it for value in values for it in things(value, deep=deep))
    accessed = [of_container(it, WHOLE, writes or changes, not of_python) for it, changes in found]
    return [it._replace(calls_back=True) for it in accessed] if of_python else accessed


def _only_reads(called: Any, program: Program) -> bool:
    """Whether a function of a library, written in Python, changes nothing that it is given but containers."""
    module = (getattr(called, "__module__", None) or "").partition(".")[0]
    return module in READ_THEIR_ARGUMENTS or (program.futures_tell and module in TOLD_BY_FUTURES)


def _is_of_tasks(value: Any) -> bool:
    """Whether a function of asyncio changes nothing of this but itself: a task, a future, or several of them."""
    if isinstance(value, CONTAINERS):
        return all(not isinstance(it, CONTAINERS) and _is_of_tasks(it) for it in elements(value))
    futures = sys.modules.get("asyncio")
    return type(value) in (*_CAN_T_BE_CHANGED, CoroutineType) or isinstance(value, getattr(futures, "Future", ()))


_CAN_T_BE_CHANGED = SIMPLEST | {bytes, float, complex, tuple, frozenset}


def _looks_inside(called: Any, site: Site, frame: FrameType) -> bool:
    """Whether a function that is not watched may read attributes of what it is given: it is in none of the tables."""
    name = getattr(called, "__name__", "")
    owner = getattr(called, "__self__", None)
    if isinstance(owner, str):
        return name in ("format", "format_map") and any(it in owner for it in (".", "["))
    if isinstance(owner, CONTAINERS):
        return False
    return name in LOOK_INSIDE or not (name in READERS or name in LOOK_AT_NOTHING or isinstance(called, type))


def _has_variables(value: Any, program: Program) -> bool:
    """Whether the program assigns an attribute that this object has; in a container, that one in it has."""
    if isinstance(value, CONTAINERS):
        return any(_has_variables(it, program) for it in elements(value) if not isinstance(it, CONTAINERS))
    kind = type(value)
    if kind in _CAN_T_BE_CHANGED or isinstance(value, FunctionType) or is_of_library(kind) or is_of_library(value):
        return False
    names = [*getattr(value, "__dict__", ()), *(it for base in kind.__mro__ for it in vars(base).get("__slots__", ()))]
    return any(program.assigns(name) for name in names)


def _may_be_called(values: Iterable[Any]) -> list[Any]:
    """Return these values, of a `partial` what it calls. Raises `Unknown` for what is called where nobody looks.

    That is a method of what can change, and what is in no row.
    """
    found = []
    for value in values:
        while isinstance(value, partial):
            value = value.func
        if type(value) is BuiltinFunctionType and how(type(value.__self__)) not in ("plain", "tuple"):
            raise Elsewhere
        if accesses_by_name(value) or (type(value) in _FUNCTIONS and not is_followed(value)):
            raise Elsewhere
        found.append(value)
    return found


def _known(site: Site, frame: FrameType) -> Iterator[Any]:
    """Yield what a call is given, as far as that can be found out."""
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
