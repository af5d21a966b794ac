"""Finds, in the frame that is about to execute an instruction, what that accesses: a function for each kind of site."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from types import FrameType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from concmodels.explore.preemption.access import (
    SHAPE,
    WHOLE,
    Accessed,
    Program,
    calls_back,
    holds_plain,
    index_of,
    is_index,
    makes_plain,
    may_be_new,
    must_show_itself,
    of_container,
    of_opaque,
    owner_of,
    read,
)
from concmodels.explore.preemption.call_accesses import of_call
from concmodels.explore.preemption.expressions import Elsewhere, Unknown, holders
from concmodels.explore.preemption.operands import NEW, is_of_library, value_or_returned
from concmodels.explore.preemption.table import CONTAINERS
from concmodels.explore.preemption.things import elements, how, length, things
from concmodels.explore.threads.tasks import local

if TYPE_CHECKING:
    from concmodels.explore.preemption.operands import Returned
    from concmodels.explore.preemption.site import Site


def accessed(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    """Return what this instruction is about to access; nothing if it is nothing that tasks can share.

    `returned` is what the last call in this task has returned. Raises `Unknown` if it can't be found out.
    """
    found = _OF_KIND[site.kind](site, frame, returned, program)
    return program.namespaces.with_variables(site, found, program)


def _unfollowed(_site: object, _frame: object, _returned: object, _program: object) -> Sequence[Accessed]:
    raise Unknown


def _hidden(_site: object, _frame: object, _returned: object, _program: object) -> Sequence[Accessed]:
    raise Elsewhere


def _namespace(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    """Return nothing: what is done with the dict of an object's attributes, other instructions do."""
    try:
        owner = owner_of(site, frame, returned, program)
    except Unknown:
        raise Elsewhere from None
    program.namespaces.add_object(owner)
    return ()


def _variable(site: Site, frame: FrameType, _returned: object, _program: object) -> Sequence[Accessed]:
    """Return the access of a global name or a cell."""
    owner = frame.f_globals if site.kind == "global" else site.cell_of
    return [Accessed(owner, site.variable, None, site.writes, False)]


def _attribute(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    """Return the accesses of an attribute: if it is read, of all places where Python looks for it."""
    owner = owner_of(site, frame, returned, program)
    if owner is NEW or isinstance(owner, local):
        return _of_class(site, frame, owner)
    if site.is_special and (found := _special(site, owner, program)) is not None:
        return found
    places = holders(owner, site.variable)
    if site.writes:
        if isinstance(owner, ModuleType) and _is_read_inside(owner, site.variable, program):
            raise Elsewhere
        places = [vars(owner) if isinstance(owner, ModuleType) else owner]
    found = [Accessed(place, site.variable, None, site.writes, False) for place in places]
    if how(type(owner)) in ("opaque", "iterator"):
        found += of_opaque(owner, site.writes)  # its methods may use that
    return found


def _of_class(site: Site, frame: FrameType, owner: Any) -> Sequence[Accessed]:
    """Return the accesses of an attribute of what only one task has: if it is read, it may be its class's."""
    kind: Any = type(owner)
    if owner is NEW:
        kind = site.made_by(frame) if site.made_by is not None else None
    if site.writes or not isinstance(kind, type):
        return ()
    return [Accessed(place, site.variable, None, False, False) for place in holders(kind, site.variable)]


def _is_read_inside(module: ModuleType, name: str, program: Program) -> bool:
    """Whether functions of a module that nobody looks at read this variable of it."""
    functions = [it for it in vars(module).values() if isinstance(it, FunctionType)]
    return any(name in it.__code__.co_names and not program.watches(it) for it in functions)


def _special(site: Site, owner: Any, program: Program) -> Sequence[Accessed] | None:
    """Return the accesses of an attribute that the program may not assign itself; None if it is one like others."""
    kind, name = type(owner), site.variable
    if name in OF_QUEUES and is_of_library(kind):
        raise Elsewhere
    if any(isinstance(vars(it).get(name), cached_property) for it in kind.__mro__):
        writes = site.writes or name not in vars(owner)
        return [Accessed(owner, name, None, writes, False, calls_back=writes)]
    if program.assigns(name) or site.of_module:
        return None
    return read([owner], deep=False) if how(kind) in ("opaque", "iterator") else ()


OF_QUEUES = frozenset({"queue", "unfinished_tasks", "is_shutdown", "n_waiting", "broken"})
"""Attributes of objects of the simulated modules that change where nobody looks."""


def _within(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    """Return what `item in container` reads."""
    if site.owner is None:
        return _operands(site, frame, returned, program)
    it = value_or_returned(site.owner, frame, returned)
    if not isinstance(it, (dict, set)):
        values = [it] if holds_plain(it) else [it, *site.operands.values(frame, returned, program)]
        must_show_itself(values, program)
        return read(values, deep=True)
    index = index_of(site, frame)
    if is_index(index):
        return [of_container(it, (index,), False, True)]
    must_show_itself([index, *it], program)
    return [of_container(it, WHOLE, False, True)]


def _container(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    """Return the accesses of the shape of a container, or of all of it if it is changed."""
    found = _operands(site, frame, returned, program) if site.operands else []
    if site.owner is None:
        return found
    it = value_or_returned(site.owner, frame, returned)
    if isinstance(it, CONTAINERS):
        is_long = site.writes and site.calls_back
        if site.writes and site.operands and not is_long:
            is_long = calls_back(site.operands, frame, returned, goes_through=not isinstance(it, set))
        found.append(Accessed(it, "", WHOLE if site.writes else SHAPE, site.writes, True, is_long))
    elif how(type(it)) == "opaque":
        found += of_opaque(it, site.writes)
    return found


def _operands(site: Site, frame: FrameType, returned: Returned, program: Program) -> list[Accessed]:
    """Return what an instruction accesses that reads all of its operands."""
    values = site.operands.values(frame, returned, program)
    if not values:
        return []
    if site.deep:
        must_show_itself(values, program)
    return read(values, deep=site.deep)


def _truth(site: Site, frame: FrameType, returned: Returned, program: Program) -> list[Accessed]:
    """Return what is read for the truth of a value that no simple expression has."""
    values = site.operands.values(frame, returned, program)
    return [of_container(it, SHAPE, False, True) for it in values if how(type(it)) in ("container", "opaque")]


def _iteration(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    """Return what the next item is taken from; the instruction that begins a loop finds that out."""
    key = id(frame), id(site.node)
    if not site.begins:
        known = program.iterated.get(key)
        return _taken(_given_to_generator(frame)) if known is None else known[1]
    program.iterated[key] = (), ()
    values = site.operands.values(frame, returned, program)
    program.iterated[key] = values, _taken(values)
    found = (it for value in values for it, _ in things(value, deep=False))
    return [of_container(it, SHAPE, False, True) for it in found if isinstance(it, (dict, set))]


def _taken(values: Iterable[Any]) -> list[Accessed]:
    """Return the accesses of an instruction that takes the next item."""
    return [of_container(it, WHOLE, changes, False) for value in values for it, changes in things(value, deep=False)]


def _given_to_generator(frame: FrameType) -> Sequence[Any]:
    """Return what a generator expression goes through, which is found outside of it."""
    given = frame.f_locals.get(".0")
    return () if given is None else (given,)


def _element(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    """Return what is unpacked of an item that a `for` has just got."""
    known = program.iterated.get((id(frame), id(site.node)))
    values: Sequence[Any] = site.operands.values(frame, None, program) if known is None else known[0]
    if isinstance(site.node, ast.Name):
        values = [it for value in values for it in elements(value)]
    return read(values, deep=True)


def _item(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    """Return the accesses of an item, and of the shape of its container."""
    found = _operands(site, frame, returned, program) if site.operands else []
    owner = owner_of(site, frame, returned, program)
    if not isinstance(owner, CONTAINERS):
        if how(type(owner)) in ("opaque", "view"):
            found += of_opaque(owner, site.writes)
        return found  # something of the program's own: its `__getitem__` is looked at itself
    index = index_of(site, frame)
    if not is_index(index):
        if isinstance(owner, dict):
            must_show_itself([index, *dict.keys(owner)], program)
        found.append(of_container(owner, WHOLE, site.writes, False))
    elif not isinstance(owner, dict):
        if isinstance(index, int) and index < 0:
            index += length(owner)
        found.append(of_container(owner, (index,), site.writes, False))
        found.append(of_container(owner, SHAPE, site.deletes, True))
    else:
        makes = isinstance(owner, defaultdict) and not site.writes and may_be_new(owner, index)
        is_long = makes and not makes_plain(getattr(owner, "default_factory", None))
        writes = site.writes or makes
        found.append(of_container(owner, (index,), writes, False)._replace(calls_back=is_long))
        if writes and (site.deletes or may_be_new(owner, index)):
            found.append(of_container(owner, SHAPE, True, True))
    return found


def _pattern(site: Site, frame: FrameType, returned: Returned, program: Program) -> Sequence[Accessed]:
    """Return nothing: which attributes a pattern reads isn't followed. Raises `Unknown` if the program assigns them."""
    kind = site.owner(frame) if site.owner is not None else None
    names = getattr(kind, "__match_args__", ())[: site.positional]
    if any(program.assigns(name) for name in (*names, *site.names)):
        raise Unknown
    return ()


_OF_KIND = {
    "global": _variable, "cell": _variable, "attribute": _attribute, "item": _item, "within": _within,
    "container": _container, "iteration": _iteration, "element": _element, "operands": _operands,
    "matched": _operands, "truth": _truth, "pattern": _pattern, "unfollowed": _unfollowed, "hidden": _hidden,
    "namespace": _namespace,
    "call": of_call,
}  # fmt: skip
