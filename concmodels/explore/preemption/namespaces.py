"""Dicts that hold the attributes of an object or the variables of a module, so that one variable has two names.

`vars(box)["n"]` is `box.n`. The program gets such a dict by an instruction that is a site, wherever it uses it later.
"""

import ast
import gc
import sys
from collections.abc import Sequence
from types import MappingProxyType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from concmodels.explore.preemption.access import SHAPE, WHOLE, Accessed, of_opaque
from concmodels.explore.preemption.expressions import AtOnce, Elsewhere, Unknown, attribute
from concmodels.explore.preemption.opcodes import is_looked_up
from concmodels.explore.preemption.things import how
from concmodels.explore.threads.tasks import local

if TYPE_CHECKING:
    from concmodels.explore.preemption.access import Program
    from concmodels.explore.preemption.site import Site

_MOST = 300
"""If a program has more variables, those that an instruction accesses which accesses all aren't looked at singly."""


class Namespaces:
    """`DictsOfVariables`."""

    def __init__(self) -> None:
        self._holders: dict[int, tuple[dict[Any, Any], Any]] = {}

    def clear(self) -> None:
        """Begin a run: another object may get the address of one of these."""
        self._holders.clear()

    def add_object(self, holder: Any) -> None:
        """As `DictsOfVariables.add_object`."""
        if isinstance(holder, (super, local)):
            raise Elsewhere
        try:
            found = vars(holder) if type(holder) is ModuleType else attribute(holder, "__dict__")
        except Unknown:
            raise Elsewhere from None
        if type(found) is MappingProxyType:
            (found,) = gc.get_referents(found)
        if type(found) is not dict or (isinstance(holder, ModuleType) and "__file__" in found):
            raise Elsewhere  # who else reads it, isn't known
        holder = holder.__func__ if isinstance(holder, MethodType) else holder
        self._holders[id(found)] = found, found if isinstance(holder, ModuleType) else holder

    def add_variables(self, variables: dict[str, Any]) -> None:
        """As `DictsOfVariables.add_variables`."""
        self._holders[id(variables)] = variables, variables

    def with_variables(self, site: Site, found: Sequence[Accessed], program: Program) -> Sequence[Accessed]:
        """As `DictsOfVariables.with_variables`."""
        if not self._holders:
            return found
        return [*found, *(other for it in found if not it.name for other in self._variables(site, it, program))]

    def _variables(self, site: Site, it: Accessed, program: Program) -> list[Accessed]:
        _, holder = self._holders.get(id(it.owner), (None, None))
        if holder is None or (it.part is SHAPE and it.writes):
            return []  # an item that is added or taken away is an access of its own
        if it.part is SHAPE or it.part is WHOLE:
            if (it.writes and not _are_named(site, it.owner, program)) or len(program.variables) > _MOST:
                raise AtOnce
            names = program.variables
        else:
            names = frozenset(filter(_is_text, it.part))
            if it.writes and not all(_may_be_written(name, holder, program) for name in names):
                raise AtOnce
        found = [Accessed(holder, name, None, it.writes, it.is_atomic, it.calls_back) for name in names]
        if how(type(holder)) in ("opaque", "iterator"):
            found += of_opaque(holder, it.writes)  # its methods may use that
        return found


def _is_text(key: Any) -> bool:
    return type(key) is str


def _may_be_written(name: str, holder: Any, program: Program) -> bool:
    """Whether all instructions that read this variable are looked at."""
    if program.assigns(name):
        return not is_looked_up(name)
    if program.names(name) or is_looked_up(name):
        return False
    kinds = type(holder).__mro__[:-1]
    return not any(it.__module__.partition(".")[0] in _OF_OTHERS for it in kinds if it is not dict)


_OF_OTHERS = frozenset({*sys.stdlib_module_names, "concmodels"})


def _are_named(site: Site, owner: dict[Any, Any], program: Program) -> bool:
    """Whether all instructions are looked at that read what a method changes which changes several items."""
    match site.node:
        case ast.Call(func=ast.Attribute(attr="clear" | "popitem" | "pop")):
            pass
        case ast.Call(func=ast.Attribute(attr="update"), args=[], keywords=keywords) if all(it.arg for it in keywords):
            pass
        case _:
            return False
    return all(program.assigns(it) or not program.names(it) for it in filter(_is_text, dict.keys(owner)))
