"""The plan of one run of a program: its parameters, checked before anything starts."""

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from concmodels import catalog

if TYPE_CHECKING:
    from concmodels.catalog import Facts
    from concmodels.programs.result import Outcome

SMALLEST_PAYLOAD = 8
LARGEST = 2**63 - 1  # a number has eight bytes in a payload
ITEM_BYTES = 48  # an int, its place in a channel, and what the allocator rounds up


class AnyPlan[R: Outcome](ABC):
    """The plan of any program, as far as the common parts of the programs use it."""

    model: str
    """The name of the model, as `load` takes it: `trio`, `subinterp:queue`."""

    @property
    def facts(self) -> Facts:
        """The facts of the catalog about the model."""
        return catalog.facts(self.model)

    @property
    @abstractmethod
    def steps(self) -> int:
        """The number of steps that the progress bar counts."""

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

    @property
    @abstractmethod
    def starting(self) -> str:
        """What the run starts, in words: `3 nodes`."""

    @property
    @abstractmethod
    def thing(self) -> str:
        """What the run makes, in words: `a ring of 3 nodes of trio`."""

    @property
    def burden(self) -> str:
        """What else needs memory, in words that continue `thing`."""
        return ""

    @property
    @abstractmethod
    def way_out(self) -> str:
        """What to do if memory is short, in words."""

    @abstractmethod
    def result(self, **figures: Any) -> R:
        """Return the result of one run of this plan, with these figures."""


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
