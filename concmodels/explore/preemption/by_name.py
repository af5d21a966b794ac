"""Finds what a call accesses whose arguments name that: of `getattr`, `vars`, `attrgetter` and their kind."""

from collections.abc import Iterable
from functools import partial
from operator import attrgetter, methodcaller
from types import BuiltinFunctionType, FrameType, MethodWrapperType, ModuleType, WrapperDescriptorType
from typing import TYPE_CHECKING, Any

from concmodels.explore.preemption.access import WHOLE, Accessed, Program, of_container, read, runs_code
from concmodels.explore.preemption.expressions import AtOnce, Elsewhere, Unknown, attribute, holders
from concmodels.explore.preemption.opcodes import is_looked_up
from concmodels.explore.preemption.table import BY_NAME, CONTAINERS, READ_ITEM, READ_SHAPE, READ_WHOLE, TAKE_CODE

if TYPE_CHECKING:
    from concmodels.explore.preemption.site import Site


NAMED_BY_ARGUMENTS = frozenset({"__getattribute__", "__setattr__", "__delattr__"})
"""The methods whose arguments tell what they access."""


def accesses_by_name(called: Any) -> bool:
    """Return whether this accesses an attribute or a variable that its arguments name, whatever it is called itself."""
    kind = type(called)
    if kind is BuiltinFunctionType:
        return called.__name__ in BY_NAME and type(called.__self__) is ModuleType
    if kind in (WrapperDescriptorType, MethodWrapperType):
        return called.__name__ in NAMED_BY_ARGUMENTS
    return kind in (attrgetter, methodcaller)


def of_named(site: Site, frame: FrameType, called: Any, owner: Any, program: Program) -> list[Accessed]:
    """Return what a call of one of these accesses. Raises `Unknown` if an instruction that does so is no site.

    `owner` is what a method was found on, for `super().__setattr__`.
    """
    name = called.__name__ if type(called) is BuiltinFunctionType else ""
    if name in ("globals", "vars") and site.begins:
        _get_namespace(site, frame, name, program)
        return []
    if type(called) in (attrgetter, methodcaller):
        return _of_operator(called, _only_argument(site, frame), program)
    name = name or called.__name__.strip("_")
    if not name.endswith(("attr", "attribute")) or site.unpacked:
        raise Elsewhere
    writes = name in ("setattr", "delattr")
    owner, attribute_name = _owner_and_name(site, frame, called, owner, writes)
    if type(attribute_name) is not str or (writes and is_looked_up(attribute_name)):
        raise Elsewhere
    if writes and not program.assigns(attribute_name):
        raise Elsewhere if isinstance(owner, type) else AtOnce  # an attribute of a class may be a second name
    places = [vars(owner) if isinstance(owner, ModuleType) else owner] if writes else holders(owner, attribute_name)
    return [Accessed(place, attribute_name, None, writes, False) for place in places]


def _owner_and_name(site: Site, frame: FrameType, called: Any, owner: Any, writes: bool) -> tuple[Any, Any]:
    """Return the object whose attribute a call accesses, and the name of that. Raises `Unknown`."""
    finds = [*site.arguments[:2]]
    if type(called) is MethodWrapperType:
        finds.insert(0, lambda _: called.__self__)
    elif site.of_super:
        finds.insert(0, lambda _: owner)
    if len(finds) < 2 or finds[0] is None or finds[1] is None:
        raise Elsewhere
    try:
        return finds[0](frame), finds[1](frame)
    except Unknown:
        if writes:
            raise Elsewhere from None  # reads of that attribute may be no sites
        raise


def _get_namespace(site: Site, frame: FrameType, name: str, program: Program) -> None:
    """Take note of the dict that `globals` or `vars` returns. Raises `Elsewhere`."""
    if name == "globals":
        program.namespaces.add_variables(frame.f_globals)
    else:
        program.namespaces.add_object(_only_argument(site, frame))


def _only_argument(site: Site, frame: FrameType) -> Any:
    if len(site.arguments) != 1 or site.unpacked or (find := site.arguments[0]) is None:
        raise Elsewhere
    try:
        return find(frame)
    except Unknown:
        raise Elsewhere from None


def _of_operator(called: Any, owner: Any, program: Program) -> list[Accessed]:
    """Return what an `attrgetter` or `methodcaller` accesses that is given this object. Raises `Elsewhere`."""
    make, given = called.__reduce__()
    options: dict[str, Any] = {}
    if isinstance(make, partial):
        given, options = (*make.args, *given), make.keywords
    try:
        if type(called) is methodcaller:
            return _of_method(owner, given[0], [*given[1:], *options.values()], program)
        return [it for name in given for it in _read(owner, name.split("."), program)]
    except Unknown:
        raise Elsewhere from None


def _read(owner: Any, names: list[str], program: Program) -> list[Accessed]:
    """Return the accesses of a read of attributes, each that of the one before."""
    found = []
    for name in names:
        if program.assigns(name):
            found += [Accessed(it, name, None, False, False, len(names) > 1) for it in holders(owner, name)]
        owner = attribute(owner, name)
    return found


def _of_method(owner: Any, name: str, given: Iterable[Any], program: Program) -> list[Accessed]:
    """Return the accesses of a call of a method by its name. Raises `Unknown` if that is looked at nowhere."""
    found = _read(owner, [name], program)
    if program.watches(attribute(owner, name)):
        return found
    if type(owner) not in CONTAINERS or any(runs_code(it) for it in given):
        raise Unknown
    writes = name not in READ_ITEM | READ_SHAPE | READ_WHOLE
    own = of_container(owner, WHOLE, writes, True)._replace(calls_back=name in TAKE_CODE)
    return [*found, own, *read(given, deep=True)]
