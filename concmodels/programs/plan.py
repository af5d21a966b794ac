"""The plan of one run of a program: its parameters, checked before anything starts."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from concmodels import catalog
from concmodels.programs import limits

if TYPE_CHECKING:
    from concmodels.catalog import Facts

SMALLEST_PAYLOAD = 8
LARGEST = 2**63 - 1  # a number has eight bytes in a payload
ITEM_BYTES = 48  # an int, its place in a channel, and what the allocator rounds up
_SPARE = 12  # descriptors for starting a program, an event loop, and the connection of a plain loop
_SPARE_SEPARATE = 64  # a run of processes or interpreters keeps 48 free for an orderly end, a cluster uses 30


@dataclass(frozen=True)
class AnyPlan(ABC):
    """The common part of all programs' plans: the model, and what a run needs of this machine."""

    ADVICE: ClassVar[str]
    """The advice if there is too little memory, in words."""

    model: str
    """The name of the model, as `load` takes it: `trio`, `processes:spawn`."""

    def __post_init__(self) -> None:
        catalog.facts(self.model)

    @cached_property
    def facts(self) -> Facts:
        """The facts of the catalog about the model."""
        return catalog.facts(self.model)

    @property
    @abstractmethod
    def thing(self) -> str:
        """The thing that the run makes, in words: `a ring of 3 nodes of trio`."""

    @property
    @abstractmethod
    def units(self) -> int:
        """The number of tasks, without that of the caller. Each needs what the catalog says of one."""

    @property
    def descriptors(self) -> int:
        """The number of file descriptors that this process needs for the tasks."""
        return self.units * self.facts.descriptors

    @property
    @abstractmethod
    def memory(self) -> int:
        """The bytes that the tasks and their messages may need, at most."""

    def check_limits(self) -> None:
        """Raise `TooLarge` if this machine can't hold the run; raise the soft limit on descriptors if it has to be."""
        check_units(self.thing, self.facts, self.units, self.descriptors, self.memory, self.ADVICE)


def check_units(thing: str, facts: Facts, units: int, descriptors: int, memory: int, advice: str) -> None:
    """Do what `AnyPlan.check_limits` does, for something that makes so many tasks of a model and is no plan."""
    spare = _SPARE_SEPARATE if facts.descriptors or catalog.is_distributed(facts) else _SPARE
    limits.check(
        thing,
        os_tasks=units if facts.preemptive else 0,
        in_one_memory=not facts.separate,
        descriptors=descriptors and descriptors + spare,
        memory=memory,
        advice=advice,
    )


def check_messages(capacity: float, payload: int | None) -> None:
    """Raise `ValueError` if this can't be the capacity of a channel, or this the size of a message."""
    if payload is not None:
        check_size("payload", payload, SMALLEST_PAYLOAD)
    if capacity != math.inf:
        check_size("capacity", capacity, 0)


def check_size(what: str, value: object, least: int = 1) -> None:
    """Raise `ValueError` if the value is not a whole number from `least` to `LARGEST`."""
    if not isinstance(value, int) or value < least:
        raise ValueError(f"{what} must be a whole number of at least {least}, not {value!r}")
    if value > LARGEST:
        raise ValueError(f"{what} must be below 2**63, not {value}")
