"""Modules that wait for the outside, as an explored program gets them: it can import them, and is refused what waits.

A package may import asyncio or socket for an exception, a constant or a type, or for functions that are never called
in what is explored. So what may wait is refused when it is called.
"""

import enum
import sys
from types import ModuleType
from typing import Any

from concmodels.explore.errors import CannotExplore
from concmodels.models.simulated.world import current
from concmodels.models.tasks.signals.frames import place, stack

_HARMLESS = frozenset(
    {"cpu_count", "current_process", "iscoroutine", "iscoroutinefunction", "isfuture", "parent_process"}
)


class Guarded(ModuleType):
    """Stands for a module; its attributes are looked up when they are used."""

    def __init__(self, real: ModuleType) -> None:
        super().__init__(real.__name__)
        self.__dict__.update(__path__=[], __file__=getattr(real, "__file__", None), _real=real)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        if isinstance(found, ModuleType):
            inside = found.__name__.startswith(f"{self.__name__}.")
            found = Guarded(found) if inside else found
        elif isinstance(found, type):
            found = _without_objects(found, f"{self.__name__}.{name}")
        elif callable(found) and name not in _HARMLESS:
            found = _refusing(f"{self.__name__}.{name}")
        self.__dict__[name] = found
        return found


def _without_objects(kind: type, name: str) -> type:
    """Return a class that is derived from this one and makes no objects; exceptions and constants are harmless."""
    if issubclass(kind, (BaseException, enum.Enum)):
        return kind
    refuse = _refusing(name)
    try:
        derive: Any = type(kind)
        derived: type = derive(kind.__name__, (kind,), {"__new__": lambda *_, **__: refuse(), "__slots__": ()})
    except TypeError:  # nothing can be derived from it
        return kind
    return derived


def _refusing(name: str) -> Any:
    """Return what ends the run when it is called, whatever the program catches."""

    def refuse(*_: Any, **__: Any) -> Any:
        error = CannotExplore(
            f"the program uses {name}{place(stack(sys._getframe(1)))}, which waits for what no schedule decides: a "
            "program can be explored that waits by threading, queue and time.sleep alone, or by the verbs of a model"
        )
        world = current()
        if world is not None:
            world.cut(error)
        raise error

    return refuse
