"""The plan of one run of the channel program, and its result."""

import math
from dataclasses import dataclass
from typing import Any, Self

from concmodels import catalog
from concmodels.programs.plan import ITEM_BYTES, AnyPlan, check_messages, check_size
from concmodels.programs.result import Outcome, capacity_of, count, size_of_one

PATTERNS = ("stream", "pingpong", "fanin", "fanout", "select")
SEVERAL = {"fanin": "sender", "fanout": "receiver", "select": "sender"}
"""The patterns with several tasks, and what each of these tasks is."""
_TASKS = 4


class ChannelPlan(AnyPlan["ChannelResult"]):
    """The parameters of one run. Raises `UnknownModel`, and `ValueError` for parameters that make no sense.

    In a pingpong, `messages` is the number of round trips. If `tasks` is None, the pattern has its default number.
    """

    def __init__(
        self,
        model: str,
        messages: int,
        pattern: str = "stream",
        tasks: int | None = None,
        capacity: float = math.inf,
        payload: int | None = None,
    ) -> None:
        check_pattern(pattern)
        check_size("messages", messages)
        check_messages(capacity, payload)
        catalog.facts(model)
        self.model, self.messages, self.pattern = model, messages, pattern
        self.tasks = tasks_of(pattern, tasks)
        self.capacity, self.payload = capacity, payload

    @property
    def channels(self) -> int:
        """The number of channels that carry messages."""
        return self.tasks if self.pattern == "select" else 2 if self.pattern == "pingpong" else 1

    @property
    def trips(self) -> int:
        """How many times, over the whole run, a message goes through a channel."""
        return self.messages * (2 if self.pattern == "pingpong" else 1)

    @property
    def held(self) -> int:
        """The most messages that can be under way at a time."""
        if self.pattern == "pingpong":
            return 1
        return int(min(self.messages, self.capacity * self.channels + self.tasks + 1))

    @property
    def steps(self) -> int:
        return self.messages

    @property
    def units(self) -> int:
        return self.tasks

    @property
    def memory(self) -> int:
        return self.tasks * self.facts.memory + self.held * (ITEM_BYTES + (self.payload or 0))

    @property
    def starting(self) -> str:
        return count(self.tasks, SEVERAL.get(self.pattern, "task"))

    @property
    def thing(self) -> str:
        return f"a {self.pattern} of {count(self.tasks, 'task')} of {self.model}"

    @property
    def burden(self) -> str:
        return f" with up to {count(self.held, 'message')} under way"

    @property
    def way_out(self) -> str:
        return "fewer tasks, or a limit on --capacity, need less"

    def result(self, **figures: Any) -> ChannelResult:
        return ChannelResult.of(self, **figures)


def check_pattern(pattern: object) -> None:
    """Raise `ValueError` if there is no such pattern."""
    if pattern not in PATTERNS:
        raise ValueError(f"there is no pattern {pattern!r}; there are {', '.join(PATTERNS)}")


def tasks_of(pattern: str, tasks: int | None) -> int:
    """Return the number of tasks beside the caller. Raises `ValueError` if the pattern can't have so many."""
    if tasks is None:
        return _TASKS if pattern in SEVERAL else 1
    check_size("tasks", tasks)
    if tasks > 1 and pattern not in SEVERAL:
        raise ValueError(f"a {pattern} is between two: tasks are for {', '.join(SEVERAL)}")
    return tasks


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
    def of(cls, plan: ChannelPlan, **figures: Any) -> Self:
        """Return the result of this plan with these figures."""
        return cls.of_model(
            plan.facts,
            pattern=plan.pattern,
            messages=plan.messages,
            tasks=plan.tasks,
            capacity=capacity_of(plan.capacity),
            payload_bytes=plan.payload or 0,
            **figures,
        )

    def columns(self) -> dict[str, tuple[str, str]]:
        what, one = ("trips/s", "per trip") if self.pattern == "pingpong" else ("msgs/s", "per msg")
        return {what: ("messages_per_s", "short"), one: ("ns_per_message", "duration")}

    def headline(self) -> str:
        between = f" of {count(self.tasks, SEVERAL[self.pattern])}" if self.pattern in SEVERAL else ""
        return f"{self.pattern}{between}: {self._messages}"

    def details(self) -> str:
        return f"capacity {self.capacity}, {size_of_one(self.payload_bytes)}"

    def proven(self) -> str:
        if self.pattern == "pingpong":
            return f"{self._messages}, each back before the next"
        order = " by sender" if self.tasks > 1 and self.pattern != "fanout" else ""
        return f"{self._messages} arrived once, in order{order}"

    @property
    def _messages(self) -> str:
        return count(self.messages, "round trip" if self.pattern == "pingpong" else "message")
