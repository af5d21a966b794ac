"""What one run of a program is to do, checked before anything starts."""

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
    """What the machinery asks of the plan of any program."""

    model: str
    """As `load` takes it: `trio`, `subinterp:queue`."""

    @property
    def facts(self) -> Facts:
        """What is known about the model."""
        return catalog.facts(self.model)

    @property
    @abstractmethod
    def steps(self) -> int:
        """How many the progress bar counts."""

    @property
    @abstractmethod
    def units(self) -> int:
        """How many tasks there are beside the caller's, each of which needs what the catalog says of one."""

    @property
    def descriptors(self) -> int:
        """How many file descriptors this process needs for the tasks."""
        return self.units * self.facts.descriptors

    @property
    @abstractmethod
    def memory(self) -> int:
        """The bytes that its tasks and what is under way between them may need, at most."""

    @property
    @abstractmethod
    def starting(self) -> str:
        """What is started, in words: `3 nodes`."""

    @property
    @abstractmethod
    def thing(self) -> str:
        """What it makes, in words: `a ring of 3 nodes of trio`."""

    @property
    def burden(self) -> str:
        """What else takes memory, in words that continue `thing`."""
        return ""

    @property
    @abstractmethod
    def way_out(self) -> str:
        """What to do where memory is short."""

    @abstractmethod
    def result(self, **figures: Any) -> R:
        """Return the result of one run of it, with these figures."""


def check_messages(capacity: float, payload: int | None) -> None:
    """Raise `ValueError` unless these are the capacity of a channel and the size of a message."""
    if payload is not None:
        check_size("payload", payload, SMALLEST_PAYLOAD)
    if capacity != math.inf:
        check_size("capacity", capacity, 0)


def check_size(what: str, value: object, least: int = 1) -> None:
    """Raise `ValueError` unless the value is a whole number that can be counted with."""
    if not isinstance(value, int) or value < least:
        raise ValueError(f"{what} must be a whole number of at least {least}, not {value!r}")
    if value > LARGEST:
        raise ValueError(f"{what} must be below 2**63, not {value}")
