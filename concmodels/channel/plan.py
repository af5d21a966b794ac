"""The plan of one run of the channel program, and its result."""

import math
from dataclasses import dataclass
from typing import Any

from concmodels.programs.plan import ITEM_BYTES, AnyPlan, check_messages, check_size
from concmodels.programs.result import Outcome, capacity_of, count, size_of_one

PATTERNS = ("stream", "pingpong", "fanin", "fanout", "select")
SEVERAL = {"fanin": "sender", "fanout": "receiver", "select": "sender"}
"""The patterns with several tasks, and what each of these tasks is."""
_TASKS = 4


@dataclass(frozen=True)
class ChannelPlan(AnyPlan):
    """The parameters of one run. Raises `UnknownModel`, and `ValueError` for parameters that make no sense."""

    ADVICE = "fewer tasks, or a limit on --capacity, need less"

    messages: int
    """The number of messages; in a pingpong, of round trips."""
    pattern: str = "stream"
    tasks: int | None = None
    """The number of tasks beside the caller; None: the pattern's default."""
    capacity: float = math.inf
    payload: int | None = None
    """The size of a message in bytes; None: the bare number."""

    def __post_init__(self) -> None:
        check_pattern(self.pattern)
        check_size("messages", self.messages)
        check_messages(self.capacity, self.payload)
        if self.tasks is None:
            object.__setattr__(self, "tasks", _TASKS if self.pattern in SEVERAL else 1)
        check_size("tasks", self.tasks)
        if self.units > 1 and self.pattern not in SEVERAL:
            raise ValueError(f"a {self.pattern} is between two: tasks are for {', '.join(SEVERAL)}")
        super().__post_init__()

    @property
    def units(self) -> int:
        assert self.tasks is not None  # the default was filled in when the plan was made
        return self.tasks

    @property
    def channels(self) -> int:
        """The number of channels that carry messages."""
        return self.units if self.pattern == "select" else 2 if self.pattern == "pingpong" else 1

    @property
    def held(self) -> int:
        """The most messages that can be under way at a time."""
        if self.pattern == "pingpong":
            return 1
        return int(min(self.messages, self.capacity * self.channels + self.units + 1))

    @property
    def memory(self) -> int:
        return self.units * self.facts.memory + self.held * (ITEM_BYTES + (self.payload or 0))

    @property
    def thing(self) -> str:
        what = f"a {self.pattern} of {count(self.units, 'task')} of {self.model}"
        return f"{what} with up to {count(self.held, 'message')} under way"


def check_pattern(pattern: object) -> None:
    """Raise `ValueError` if there is no such pattern."""
    if pattern not in PATTERNS:
        raise ValueError(f"there is no pattern {pattern!r}; there are {', '.join(PATTERNS)}")


@dataclass(frozen=True, kw_only=True)
class ChannelResult(Outcome):
    """The figures of one run of the channel program.

    `setup_s` ends when one uncounted message from every sender, or to every receiver, has arrived; `run_s` is the time
    from sending the first counted message until all had arrived.
    """

    SPEED = "messages_per_s"

    pattern: str
    messages: int
    """The number of messages; in a pingpong, of round trips."""
    tasks: int
    """The number of senders or receivers, without the caller."""
    capacity: int | str
    """The capacity of each channel, or `inf`."""
    payload_bytes: int
    """The size of a message; 0 if it is the bare number."""
    messages_per_s: float | None = None
    ns_per_message: float | None = None

    @classmethod
    def parameters(cls, plan: ChannelPlan) -> dict[str, Any]:
        return {
            "pattern": plan.pattern,
            "messages": plan.messages,
            "tasks": plan.tasks,
            "capacity": capacity_of(plan.capacity),
            "payload_bytes": plan.payload or 0,
        }

    def columns(self) -> dict[str, tuple[str, str]]:
        what, one = ("trips/s", "per trip") if self.pattern == "pingpong" else ("msgs/s", "per msg")
        return {what: ("messages_per_s", "short"), one: ("ns_per_message", "duration")}

    def headline(self) -> str:
        between = f" of {count(self.tasks, SEVERAL[self.pattern])}" if self.pattern in SEVERAL else ""
        return f"{self.pattern}{between}: {self._messages}"

    def details(self) -> str:
        return f"capacity {self.capacity}, {size_of_one(self.payload_bytes)}"

    def legend(self) -> dict[str, str]:
        return {"bare numbers": "each message is an int"} | super().legend()

    def proven(self) -> str:
        if self.pattern == "pingpong":
            return f"{self._messages}, each back before the next"
        order = " by sender" if self.tasks > 1 and self.pattern != "fanout" else ""
        return f"{self._messages} arrived once, in order{order}"

    @property
    def _messages(self) -> str:
        return count(self.messages, "round trip" if self.pattern == "pingpong" else "message")
