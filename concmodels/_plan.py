"""What one run of the ring is to do, checked before anything starts."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from concmodels import catalog

if TYPE_CHECKING:
    from concmodels.catalog import Facts

SMALLEST_PAYLOAD = 8
LARGEST = 2**63 - 1  # a number has eight bytes in a payload
ITEM_BYTES = 48  # an int, its place in a channel, and what the allocator rounds up


@dataclass(frozen=True)
class Plan:
    """The parameters of one run. Raises `UnknownModel`, and `ValueError` for sizes that make no ring."""

    model: str
    """As `load` takes it: `trio`, `subinterp:queue`."""
    nodes: int
    messages: int
    in_flight: int | None = None
    """The most messages under way at a time; None: all of them."""
    capacity: float = math.inf
    payload: int | None = None
    """The size of a message in bytes; None: the bare number."""

    def __post_init__(self) -> None:
        _check_size("nodes", self.nodes)
        _check_size("messages", self.messages)
        if self.in_flight is not None:
            _check_size("in_flight", self.in_flight)
        if self.payload is not None:
            _check_size("payload", self.payload, SMALLEST_PAYLOAD)
        if self.capacity != math.inf:
            _check_size("capacity", self.capacity, 0)
        catalog.facts(self.model)

    @property
    def facts(self) -> Facts:
        """What is known about the model."""
        return catalog.facts(self.model)

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
    def memory(self) -> int:
        """The bytes that its tasks and its messages may need, at most."""
        return self.nodes * self.facts.memory + self.held * (ITEM_BYTES + (self.payload or 0))


def _check_size(what: str, value: object, least: int = 1) -> None:
    if not isinstance(value, int) or value < least:
        raise ValueError(f"{what} must be a whole number of at least {least}, not {value!r}")
    if value > LARGEST:
        raise ValueError(f"{what} must be below 2**63, not {value}")
