"""The timer of the channel program: which messages are sent in which phase, and how fast they arrived."""

from collections.abc import Callable
from typing import Any

from concmodels.channel import measured, tasks
from concmodels.channel.plan import SEVERAL, ChannelPlan
from concmodels.programs.stopwatch import Phase, Stopwatch

_PROGRAMS = {"pingpong": "bounce", "fanout": "spread"}


class ChannelTimer(Stopwatch[ChannelPlan, Phase]):
    """Measures one run. The program spawns `send`, `echo` or `receive`."""

    send: Callable[..., Any]
    echo: Callable[..., Any]
    receive: Callable[..., Any]

    def __init__(self, plan: ChannelPlan) -> None:
        super().__init__(plan)
        self.steps = plan.messages
        prefix = "async_" if plan.facts.is_async else ""
        self.program = getattr(tasks, prefix + _PROGRAMS.get(plan.pattern, "converge"))
        module, kind = (measured, "measured_") if plan.facts.separate else (tasks, prefix)
        for task in ("send", "echo", "receive"):
            setattr(self, task, getattr(module, kind + task))

    def spawned(self, tasks: list[Any], channels: list[Any]) -> None:
        """Take note of the tasks that were started and of the channels that carry the messages."""
        self.tasks, self._channels = tasks, channels

    def warm_up(self) -> Phase:
        """Return the first phase: one message for each task."""
        return Phase(0, self.plan.units, self.plan.units, self.plan.payload or 0)

    def counted(self) -> Phase:
        first, count = self.plan.units, self.plan.messages
        return Phase(first, first + count, count, self.plan.payload or 0)

    def steps_done(self) -> int:
        """Return how many messages have arrived. In a fanout, messages that are still in the channel have not."""
        waiting = sum(map(len, self._channels)) if self.plan.pattern == "fanout" else 0
        return max(0, self.phase.begun - waiting)

    def speed(self, run_s: float) -> dict[str, Any]:
        messages = self.plan.messages
        return {"messages_per_s": messages / run_s, "ns_per_message": run_s / messages * 1e9}

    def worker(self, names: dict[str, Any]) -> str | None:
        """Recognise a task by a channel that only it has: that of its orders, or the one on which an echo answers."""
        if getattr(names.get("outbox"), "name", None) == "back":
            return "the echo"
        name = str(getattr(names.get("orders"), "name", ""))
        return name if name.startswith(tuple(SEVERAL.values())) else None

    def stopped_short(self) -> str:
        return f"only {max(0, self.phase.begun - 1):,} of {self.plan.messages:,} messages arrived"
