"""The values of an instruction that can change: containers, iterators, and other objects written in C.

a container     it is accessed by its parts (`access.py`)
a tuple         can't change, but what it holds can
a view          stands for the container that it is made of: `names.values()`
an iterator     is changed by taking the next item, which reads what it goes through
opaque          an object written in C of which nothing is known: an array, a `StringIO`
plain           can't change, or its methods are Python code: then these are looked at themselves
"""

import collections
import datetime
import decimal
import enum
import functools
import gc
import io
import itertools
import logging
import re
import sys
import types
import weakref
from collections.abc import Iterator
from typing import Any, Literal

from concmodels.explore.preemption.common import FILES, INTERPRETER, is_of_files
from concmodels.explore.preemption.expressions import Unknown
from concmodels.explore.preemption.table import CONTAINERS
from concmodels.explore.threads.installed import is_installed

type How = Literal["container", "tuple", "view", "iterator", "opaque", "plain"]

MOST = 20_000
"""So many objects are looked at for one instruction; if there are more, it can't be followed."""

_CAN_T_CHANGE: tuple[type, ...] = (
    int, float, complex, str, bytes, frozenset, range, slice, type, type(None), type(...), type(NotImplemented),
    BaseException, enum.Enum, re.Pattern, re.Match, datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo,
    decimal.Decimal, property, staticmethod, classmethod, super, types.CodeType, types.FunctionType, types.MethodType,
    types.BuiltinFunctionType, types.ModuleType, types.CellType, types.FrameType, types.TracebackType,
    types.GenericAlias, types.UnionType, types.MethodWrapperType, types.WrapperDescriptorType,
    types.MethodDescriptorType, types.ClassMethodDescriptorType, types.GetSetDescriptorType,
    types.MemberDescriptorType, types.CoroutineType, functools.partial,
)  # fmt: skip
_DICTS: tuple[dict[Any, Any], ...] = ({}, collections.OrderedDict())
_VIEWS: tuple[type, ...] = (
    *(type(getattr(made, name)()) for made in _DICTS for name in ("keys", "values", "items")),
    types.MappingProxyType, memoryview,
)  # fmt: skip


def how(kind: type) -> How:
    """Say how the objects of this type can change."""
    known = _HOW.get(kind)
    if known is None:
        if len(_HOW) > _MOST_KNOWN:
            _HOW.clear()  # each run makes the classes of its program anew
        known = _HOW[kind] = _how(kind)
    return known


_HOW: dict[type, How] = {}
_MOST_KNOWN = 300


def _how(kind: type) -> How:
    if issubclass(kind, CONTAINERS):
        return "container"
    if issubclass(kind, (tuple, frozenset)):
        return "tuple"
    if issubclass(kind, _VIEWS):
        return "view"
    if issubclass(kind, _CAN_T_CHANGE) or kind.__module__.startswith("concmodels"):
        return "plain"
    if any(_is_of_library(base) for base in kind.__mro__):
        return "opaque"
    if all(base is object or "__firstlineno__" in vars(base) or base.__module__ == "typing" for base in kind.__mro__):
        return "plain"
    if kind is object or kind.__module__ in ("_thread", "greenlet", "_greenlet"):
        return "plain"
    return "iterator" if hasattr(kind, "__next__") else "opaque"


def _is_of_library(kind: type) -> bool:
    """Whether a class is written in Python, in Python's library or an installed package: its methods aren't seen."""
    module = kind.__module__
    top = module.partition(".")[0]
    if "__firstlineno__" not in vars(kind) or module in _HARMLESS or top in _HARMLESS:
        return False
    if top in sys.stdlib_module_names:
        return True
    path = getattr(sys.modules.get(module), "__file__", None)
    return path is not None and path not in _own and is_installed(path)


_own: frozenset[str] = frozenset()


def take_as_own(files: frozenset[str]) -> None:
    """Take the classes in these files as the program's own, wherever these are: their methods are looked at."""
    global _own
    if files != _own:
        _own = files
        _HOW.clear()
        _TORN.clear()


_HARMLESS = frozenset(
    {
        "_queue", "_thread", "abc", "collections.abc", "concmodels", "concurrent", "contextlib", "dataclasses",
        "datetime", "enum", "fractions", "functools", "inspect", "ipaddress", "numbers", "pathlib", "queue",
        "re", "threading", "types", "typing", "uuid",
    }
)  # fmt: skip
"""Modules whose objects can't change, or are simulated, or whose methods only call those of a class of the program."""


OF_OBJECTS = frozenset(
    name
    for kind in (
        io.StringIO,
        io.BytesIO,
        io.FileIO,
        io.BufferedRandom,
        io.TextIOWrapper,
        decimal.Context,
        memoryview,
        types.GeneratorType,
        types.CoroutineType,
        types.CellType,
        functools.partial,
        BaseException,
    )
    for base in kind.__mro__
    for name, it in vars(base).items()
    if isinstance(it, (types.GetSetDescriptorType, types.MemberDescriptorType)) and not name.startswith("__")
) | {"maxlen", "contents", "value", "level", "handlers", "filters", "propagate", "disabled"}
"""The names of attributes of objects written in C, by which these can be looked at without a call."""


def is_torn(kind: type) -> bool:
    """Return whether operators and methods of these objects are Python code that isn't watched: they are many steps."""
    known = _TORN.get(kind)
    if known is None:
        if len(_TORN) > _MOST_KNOWN:
            _TORN.clear()
        known = _TORN[kind] = how(kind) == "opaque" and any(
            _is_of_library(base) and base.__module__ != "random" for base in kind.__mro__
        )
    return known


_TORN: dict[type, bool] = {}


def compares_by_code(it: Any) -> bool:
    """Return whether to look for something in this runs the `==` of the program, with other threads in between."""
    kind = next((kind for kind in (list, collections.deque, tuple) if isinstance(it, kind)), None)
    if kind is None:
        return False
    return any(isinstance(getattr(it, "__eq__", None), types.FunctionType) for it in set(map(type, kind.__iter__(it))))


def things(value: Any, *, deep: bool) -> Iterator[tuple[Any, bool]]:
    """Yield what can change of a value, and whether it changes if all of it is read. Raises `Unknown` if that is a lot.

    With `deep`, also what is in containers, as far as C code reads it that compares or shows them.
    """
    left, seen = [value], set()
    while left:
        it = left.pop()
        kind = how(type(it))
        if kind == "plain" and deep and isinstance(it, BaseException):
            left.append(_arguments_of(it))
        if kind == "plain" or id(it) in seen:
            continue
        seen.add(id(it))
        if is_shown(it):
            continue
        if len(seen) > MOST:
            raise Unknown
        if kind == "container":
            yield it, False
            if deep:
                left += _items(it)
        elif kind == "tuple":
            left += parts(it)
        elif kind == "view":
            left += [it.obj] if isinstance(it, memoryview) else gc.get_referents(it)
        elif type(it).__module__ == "numpy" and getattr(it, "base", None) is not None:
            left.append(it.base)  # the array that it is a part of
        else:
            if isinstance(it, _WEAK) or type(it) in weakref.ProxyTypes:
                raise Unknown  # what is in it is gone when nobody holds it any more, which no access tells
            yield it, kind == "iterator" or isinstance(it, TEED)
            if is_of_files(it):
                yield FILES, False
            elif isinstance(it, logging.Logger):
                yield INTERPRETER, False
            left += _iterated(it) if kind == "iterator" else _held(it)


TEED: type = itertools._tee_dataobject  # type: ignore[attr-defined]  # what the iterators of a `tee` share
_WEAK = (weakref.WeakSet, weakref.WeakKeyDictionary, weakref.WeakValueDictionary)

_shown: tuple[Any, ...] = ()


def show(*streams: Any) -> None:
    """Take these as the streams of the process, to which any task may write at any time."""
    global _shown
    _shown = streams


def is_shown(it: Any) -> bool:
    """Return whether this is a stream of the process."""
    return any(it is stream for stream in _shown)


_arguments_of: Any = BaseException.__dict__["args"].__get__


def _iterated(iterator: Any) -> list[Any]:
    """Return what an iterator goes through. A generator is Python code, which is looked at itself."""
    if isinstance(iterator, (types.GeneratorType, types.AsyncGeneratorType)):
        return []
    return [it for it in gc.get_referents(iterator) if not isinstance(it, (str, bytes, int))]


def _held(it: Any) -> list[Any]:
    """Return what an object of a library has as attributes, or keeps in C: its methods change what is in that.

    Of containers also those in them: a `ChainMap` has a list of them.
    """
    if isinstance(it, TEED):
        return _iterated(it)
    own = getattr(it, "__dict__", None)
    held = [*(own.values() if type(own) is dict else ()), *(value for value in _kept_in_c(it) if value is not own)]
    inner = [part for value in held if isinstance(value, CONTAINERS) for part in _items(value)]
    return [*(value for value in held if _may_be_held(value)), *(it for it in inner if isinstance(it, CONTAINERS))]


def _kept_in_c(it: Any) -> list[Any]:
    """Return what an object written in C refers to: a writer of CSV its file, an array of `ctypes` its memory."""
    found = [getattr(value, "__self__", value) for value in gc.get_referents(it)]
    if type(type(it)).__module__ == "_ctypes":
        kept = it._objects
        found += [it._b_base_, *(kept.values() if isinstance(kept, dict) else [kept])]
    return found


def _may_be_held(value: Any) -> bool:
    return isinstance(value, CONTAINERS) or (not isinstance(value, logging.Logger) and how(type(value)) in _HELD)


_HELD = ("view", "opaque", "iterator")


def elements(value: Any) -> list[Any]:
    """Return what is in the containers that a value leads to: what a `for` over it may get."""
    return [item for it, _ in things(value, deep=False) if isinstance(it, CONTAINERS) for item in _items(it)] + (
        list(value) if type(value) is tuple else []
    )


def parts(it: Any) -> list[Any]:
    """Return what is in a container, a tuple or a view, without running code of the program."""
    kind = how(type(it))
    if kind == "container":
        return _items(it)
    if kind == "tuple":
        return list(tuple.__iter__(it) if isinstance(it, tuple) else frozenset.__iter__(it))
    return [] if isinstance(it, memoryview) else gc.get_referents(it)


def length(it: Any) -> int:
    """Return how many items a container has, without running code of the program."""
    kind = next(kind for kind in CONTAINERS if isinstance(it, kind))
    return kind.__len__(it)


def _items(it: Any) -> list[Any]:
    """Return what is in a container, without running code of the program."""
    if isinstance(it, dict):
        return [*dict.keys(it), *dict.values(it)]
    if isinstance(it, list):
        return list(list.__iter__(it))
    if isinstance(it, set):
        return list(set.__iter__(it))
    return list(collections.deque.__iter__(it)) if isinstance(it, collections.deque) else []
