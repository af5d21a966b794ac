"""What one run is to do, checked before anything starts: of any program, and of the ring."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from concmodels import catalog

if TYPE_CHECKING:
    from concmodels.programs.result import Outcome, Result
    from concmodels.programs.stopwatch import Listener, Stopwatch
    from concmodels.catalog import Facts

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
    def watch(self, listener: Listener) -> Stopwatch[Any, Any]:
        """Return who measures one run of it."""

    @abstractmethod
    def result(self, **figures: Any) -> R:
        """Return the result of one run of it, with these figures."""


@dataclass(frozen=True)
class Plan(AnyPlan["Result"]):
    """The parameters of one ring. Raises `UnknownModel`, and `ValueError` for sizes that make no ring."""

    model: str
    nodes: int
    messages: int
    in_flight: int | None = None
    """The most messages under way at a time; None: all of them."""
    capacity: float = math.inf
    payload: int | None = None
    """The size of a message in bytes; None: the bare number."""

    def __post_init__(self) -> None:
        check_size("nodes", self.nodes)
        check_size("messages", self.messages)
        if self.in_flight is not None:
            check_size("in_flight", self.in_flight)
        check_messages(self.capacity, self.payload)
        catalog.facts(self.model)

    @property
    def hops(self) -> int:
        """From node to node: every message makes one per node."""
        return self.nodes * self.messages

    @property
    def window(self) -> int:
        """The most messages under way, as a number; never more than there are."""
        return self.messages if self.in_flight is None else min(self.in_flight, self.messages)

    @property
    def held(self) -> int:
        """The most messages that can be in the ring at a time: what fits in its channels and the hands of its nodes."""
        return int(min(self.window, self.capacity * (self.nodes + 1) + self.nodes + 1))

    @property
    def steps(self) -> int:
        return self.hops

    @property
    def units(self) -> int:
        """The nodes; the feeder is one more, but small."""
        return self.nodes

    @property
    def memory(self) -> int:
        """The bytes that its tasks and its messages may need, at most."""
        return self.nodes * self.facts.memory + self.held * (ITEM_BYTES + (self.payload or 0))

    @property
    def starting(self) -> str:
        return f"{self.nodes:,} nodes"

    @property
    def thing(self) -> str:
        return f"a ring of {self.nodes:,} nodes of {self.model}"

    @property
    def burden(self) -> str:
        return f" with up to {self.held:,} messages in it"

    @property
    def way_out(self) -> str:
        return "fewer nodes, or a limit on --in-flight or --capacity, need less"

    def watch(self, listener: Listener) -> Stopwatch[Any, Any]:
        from concmodels.ring.watch import Watch

        return Watch(self, listener)

    def result(self, **figures: Any) -> Result:
        from concmodels.programs.result import Result

        return Result.of(self, **figures)


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
