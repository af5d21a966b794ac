"""The plan of one run of the ring, and its result."""

import math
from dataclasses import dataclass
from typing import Any

from concmodels.programs.plan import ITEM_BYTES, AnyPlan, check_messages, check_size
from concmodels.programs.result import Outcome, capacity_of, count, size_of_one


@dataclass(frozen=True)
class Plan(AnyPlan):
    """The parameters of one ring. Raises `UnknownModel`, and `ValueError` for sizes that make no ring."""

    ADVICE = "fewer nodes, or a limit on --in-flight or --capacity, need less"

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
        super().__post_init__()

    @property
    def hops(self) -> int:
        """The number of hops, from one node to the next: every message makes one per node."""
        return self.nodes * self.messages

    @property
    def window(self) -> int:
        """The most messages under way at a time, as a number; never more than there are messages."""
        return self.messages if self.in_flight is None else min(self.in_flight, self.messages)

    @property
    def held(self) -> int:
        """The most messages that can be in the ring at a time: its channels full, and one held by each task."""
        return int(min(self.window, self.capacity * (self.nodes + 1) + self.nodes + 1))

    @property
    def units(self) -> int:
        """The number of nodes; the feeder is one task more, but needs little."""
        return self.nodes

    @property
    def memory(self) -> int:
        return self.nodes * self.facts.memory + self.held * (ITEM_BYTES + (self.payload or 0))

    @property
    def thing(self) -> str:
        what = f"a ring of {count(self.nodes, 'node')} of {self.model}"
        return f"{what} with up to {count(self.held, 'message')} in it"


@dataclass(frozen=True, kw_only=True)
class Result(Outcome):
    """The figures of one run of the ring.

    `setup_s` ends when one uncounted message has gone round; `run_s` is the time from sending the first counted message
    until the last one was collected.
    """

    SPEED = "hops_per_s"

    nodes: int
    messages: int
    hops: int
    in_flight: int | str
    """The most messages under way at a time, or `all`."""
    capacity: int | str
    """The capacity of each channel, or `inf`."""
    payload_bytes: int
    """The size of a message; 0 if it is the bare number."""
    hops_per_s: float | None = None
    ns_per_hop: float | None = None

    @classmethod
    def parameters(cls, plan: Plan) -> dict[str, Any]:
        return {
            "nodes": plan.nodes,
            "messages": plan.messages,
            "hops": plan.hops,
            "in_flight": "all" if plan.in_flight is None else plan.window,
            "capacity": capacity_of(plan.capacity),
            "payload_bytes": plan.payload or 0,
        }

    def columns(self) -> dict[str, tuple[str, str]]:
        return {"hops/s": ("hops_per_s", "short"), "per hop": ("ns_per_hop", "duration")}

    def headline(self) -> str:
        nodes, messages = count(self.nodes, "node"), count(self.messages, "message")
        return f"ring of {nodes}, {messages}: {count(self.hops, 'hop')}"

    def details(self) -> str:
        flight = f"{self.in_flight:,}" if isinstance(self.in_flight, int) else self.in_flight
        return f"{flight} in flight, capacity {self.capacity}, {size_of_one(self.payload_bytes)}"

    def legend(self) -> dict[str, str]:
        return {
            "in flight": "messages on their way at a time",
            "bare numbers": "each message is an int",
        } | super().legend()

    def proven(self) -> str:
        return f"{count(self.messages, 'message')} arrived, once each and in order"
