"""The timer of the channel program: which messages are sent in which phase, and how fast they arrived."""

from collections.abc import Callable, Iterator
from typing import Any

from concmodels.channel import measured, tasks
from concmodels.channel.plan import SEVERAL, ChannelPlan
from concmodels.programs.estimate import worth_a_probe
from concmodels.programs.stopwatch import Listener, Phase, Stopwatch

_PROBE = 256
_PROBE_TRIPS = 16
_PROGRAMS = {"pingpong": "bounce", "fanout": "spread"}


class ChannelTimer(Stopwatch[ChannelPlan, Phase]):
    """Measures one run. The program spawns `send`, `echo` or `receive`, with the arguments `extra` at the end."""

    send: Callable[..., Any]
    echo: Callable[..., Any]
    receive: Callable[..., Any]

    def __init__(self, plan: ChannelPlan, listener: Listener) -> None:
        super().__init__(plan, listener)
        self._probe = probe_size(plan) if listener.wants_estimate else 0
        self._channels: list[Any] = []
        self._phase: Phase | None = None
        self._choose()

    def _choose(self) -> None:
        prefix = "async_" if self.is_async else ""
        self.program = getattr(tasks, prefix + _PROGRAMS.get(self.plan.pattern, "converge"))
        separate = self.plan.facts.separate
        module, kind = (measured, "measured_") if separate else (tasks, prefix)
        for task in ("send", "echo", "receive"):
            setattr(self, task, getattr(module, kind + task))
        self.extra: tuple[int, ...] = ()
        if separate:  # an `echo` is told how many messages are not counted, the others how many phases
            phases = 2 if self._probe else 1
            self.extra = (1 + self._probe,) if self.plan.pattern == "pingpong" else (phases,)

    def spawned(self, tasks: list[Any], channels: list[Any]) -> None:
        """Take note of the tasks that were started and of the channels that carry the messages."""
        self.tasks, self._channels = tasks, channels

    def warm_up(self) -> Phase:
        """Return the first phase: one message for each task."""
        return self._new_phase(0, self.plan.tasks)

    def probe(self) -> Iterator[Phase]:
        """Yield a burst of messages, if a probe is worth its time."""
        if self._probe:
            yield self._new_phase(self.plan.tasks, self._probe)

    def estimate(self, took: list[float]) -> float:
        return took[0] / self._probe * self.plan.messages

    def counted(self) -> Phase:
        return self._new_phase(self.plan.tasks + self._probe, self.plan.messages)

    def _new_phase(self, first: int, count: int) -> Phase:
        stop = first + count
        self._phase = Phase(first, stop, count, self.plan.payload or 0, iter(range(first, stop)))
        return self._phase

    def steps_done(self) -> int:
        """Return how many messages have arrived. In a fanout, messages that are still in the channel have not."""
        if self._phase is None:
            return 0
        waiting = sum(map(len, self._channels)) if self.plan.pattern == "fanout" else 0
        return max(0, self.plan.messages - self._phase.left - waiting)

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
        came = self.plan.messages - (self._phase.left if self._phase else self.plan.messages) - 1
        return f"only {max(0, came):,} of {self.plan.messages:,} messages arrived"


def probe_size(plan: ChannelPlan) -> int:
    """Return how many messages a probe sends; 0 if the run is too short for a probe."""
    if not worth_a_probe(plan.trips * plan.facts.hop):
        return 0
    return min(plan.messages, _PROBE_TRIPS if plan.pattern == "pingpong" else _PROBE)
