"""Expressions that can be evaluated in another's frame without any effect: names, attributes, and subscripts of these.

A property, or a `__getitem__` that is written in Python, would run code of the program: they are not evaluated.
"""

import ast
import builtins
import operator
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from functools import cache
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    FrameType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from concmodels.explore.threads.tasks import local

type Value = Callable[[FrameType], Any]

_EXACT = (list, dict, tuple, deque, defaultdict, OrderedDict, str, bytes, bytearray)


class Unknown(Exception):
    """The value can't be found without running code of the program: what is accessed now may be anything."""


class Elsewhere(Unknown):
    """Neither what is accessed can be found out nor when: it may be later, and by no instruction of the program."""


class AtOnce(Elsewhere):
    """An instruction accesses something now, and not later, of which other instructions don't tell that they do."""


class Torn(Unknown):
    """An instruction accesses several things one after the other, and other threads may come in between."""


def value_of(node: ast.AST, code: CodeType) -> Value | None:
    """Return what finds the value of this expression in a frame of this code; None if it is not a simple one.

    It raises `Unknown`.
    """
    match node:
        case ast.Name(id=name):
            if not code.co_flags & _OPTIMIZED:
                return _in_class(name)
            return _local(name) if is_local(name, code) else _global(name)
        case ast.Constant(value=value):
            return lambda _: value
        case ast.Call(func=ast.Name(id="super"), args=[]) if code.co_argcount:
            return _local(code.co_varnames[0])
        case ast.Call(func=ast.Name(id="super"), args=[_, owner], keywords=[]):
            return value_of(owner, code)
        case ast.Call(func=ast.Name(id="type"), args=[argument], keywords=[]) if not is_local("type", code):
            return _type_of(value_of(argument, code))
        case ast.Call(func=ast.Name(id="globals" | "vars" as name), args=given, keywords=[]) if not is_local(
            name, code
        ):
            return _namespace_of([value_of(it, code) for it in given], name)
        case ast.BinOp(left=left, right=right, op=op) if type(op) in _ARITHMETIC:
            return _number(_ARITHMETIC[type(op)], value_of(left, code), value_of(right, code))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return lambda _: -value
        case ast.Attribute(value=owner, attr=name):
            return _attribute_of(value_of(owner, code), name)
        case ast.Subscript(value=owner, slice=index):
            return _item_of(value_of(owner, code), value_of(index, code))
        case ast.Tuple(elts=parts):
            found = [it for part in parts if (it := value_of(part, code)) is not None]
            return None if len(found) < len(parts) else lambda frame: tuple(it(frame) for it in found)
    return None


def _type_of(find: Value | None) -> Value | None:
    if find is None:
        return None

    def found(frame: FrameType) -> Any:
        if "type" in frame.f_globals:
            raise Unknown
        return type(find(frame))

    return found


def _namespace_of(given: list[Value | None], name: str) -> Value | None:
    """Return what finds the dict that `globals` or `vars` returns; None for that of the frame's own variables."""
    if len(given) != (name == "vars") or None in given:
        return None

    def found(frame: FrameType) -> Any:
        if name in frame.f_globals:
            raise Unknown
        values = [find(frame) for find in given if find is not None]
        if not values:
            return frame.f_globals
        return vars(values[0]) if type(values[0]) is ModuleType else attribute(values[0], "__dict__")

    return found


def is_local(name: str, code: CodeType) -> bool:
    """Whether a name is that of a local variable or a cell."""
    return name in code.co_varnames or name in code.co_cellvars or name in code.co_freevars


_ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mod: operator.mod}


def _number(calculate: Callable[[int, int], int], find: Value | None, find_other: Value | None) -> Value | None:
    """Return what finds a number that is calculated from two others, as that of the next item: `items[number + 1]`."""
    if find is None or find_other is None:
        return None

    def calculated(frame: FrameType) -> int:
        one, other = find(frame), find_other(frame)
        if type(one) is not int or type(other) is not int:
            raise Unknown
        try:
            return calculate(one, other)
        except ZeroDivisionError:
            raise Unknown from None

    return calculated


def _attribute_of(find: Value | None, name: str) -> Value | None:
    return None if find is None else lambda frame: attribute(find(frame), name)


def _item_of(find: Value | None, find_index: Value | None) -> Value | None:
    if find is None or find_index is None:
        return None
    return lambda frame: _item(find(frame), find_index(frame))


def _local(name: str) -> Value:
    def find(frame: FrameType) -> Any:
        try:
            return frame.f_locals[name]
        except KeyError:
            raise Unknown from None

    return find


_OPTIMIZED = 1  # CO_OPTIMIZED: not set for the body of a class


def _in_class(name: str) -> Value:
    find, find_outside = _local(name), _global(name)

    def find_either(frame: FrameType) -> Any:
        return find(frame) if name in frame.f_locals else find_outside(frame)

    return find_either


def _global(name: str) -> Value:
    def find(frame: FrameType) -> Any:
        names = frame.f_globals
        if name in names:
            return names[name]
        try:
            return getattr(builtins, name)
        except AttributeError:
            raise Unknown from None

    return find


def holders(owner: Any, name: str) -> list[Any]:
    """Return where Python looks for this attribute, up to where it is: the object itself, then its classes.

    Raises `Unknown` for a property, and for an object that hands on what it is asked.
    """
    if isinstance(owner, ModuleType):
        return [vars(owner)]  # as the functions of that module access it
    if isinstance(owner, MethodType):
        owner = owner.__func__
    if type(owner) is super:
        raise Unknown
    if name in getattr(owner, "__dict__", ()):
        return [owner]
    looked = [] if isinstance(owner, type) else [owner]
    for it in owner.__mro__ if isinstance(owner, type) else type(owner).__mro__:
        if name in it.__dict__:
            found = it.__dict__[name]
            if isinstance(found, MemberDescriptorType):
                return [owner]
            if hasattr(type(found), "__set__"):
                raise Unknown
            return [*looked, it]
        looked.append(it)
    return looked


def attribute(owner: Any, name: str) -> Any:
    """Return the value of an attribute. Raises `Unknown`."""
    kind = type(owner)
    look_up: Any = kind.__getattribute__
    if look_up is not LOOK_UP and isinstance(look_up, FunctionType) and kind is not local:
        raise Unknown
    own = getattr(owner, "__dict__", None)
    if own is not None and name in own and not isinstance(owner, type):
        return own[name]
    if isinstance(owner, ModuleType):
        if "__getattr__" in vars(owner):
            raise Unknown
    elif not _is_plain((*owner.__mro__, *kind.__mro__) if isinstance(owner, type) else kind.__mro__, name):
        raise Unknown
    try:
        return getattr(owner, name)
    except AttributeError:
        raise Unknown from None


LOOK_UP: Any = object.__getattribute__
"""How attributes are looked up, unless a class says otherwise."""


def _is_plain(kinds: tuple[type, ...], name: str) -> bool:
    """Return whether reading this attribute runs no code of the program: no descriptor's, and no `__getattr__`."""
    for it in kinds:
        if name in it.__dict__:
            found = type(it.__dict__[name])
            return found in _BIND or not (hasattr(found, "__get__") or hasattr(found, "__set__"))
    return not any("__getattr__" in it.__dict__ for it in kinds)


_BIND = frozenset(
    {
        BuiltinFunctionType, ClassMethodDescriptorType, FunctionType, GetSetDescriptorType, MemberDescriptorType,
        MethodDescriptorType, WrapperDescriptorType, classmethod, staticmethod, type(cache(id)),
    }
)  # fmt: skip
"""Types of what is in a class that give a method, or what is stored in the object, and call nothing."""


def _runs_code(index: Any) -> bool:
    """Whether to look for this index runs code of the program: its `__hash__`, `__eq__` or `__index__`."""
    kind = type(index)
    if kind is tuple or kind is frozenset:
        return any(map(_runs_code, index))
    return kind not in _PLAIN and any(
        isinstance(it, FunctionType) and not it.__code__.co_filename.startswith("<")
        for name in ("__hash__", "__eq__", "__index__")
        if (it := getattr(kind, name, None)) is not None
    )


_PLAIN = frozenset({int, str, bool, bytes, float, type(None)})


def _item(owner: Any, index: Any) -> Any:
    if type(index) not in _PLAIN and _runs_code(index):
        raise Unknown
    if type(owner) is Counter:
        return dict.get(owner, index, 0)
    if type(owner) not in _EXACT:
        raise Unknown
    try:
        return dict.__getitem__(owner, index) if isinstance(owner, defaultdict) else owner[index]
    except LookupError, TypeError:
        raise Unknown from None
