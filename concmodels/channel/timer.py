"""The phases of one run of the channel program."""

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
    """Measures one run. `send`, `echo`, `receive` and `extra` say what the program is to spawn."""

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
        if separate:  # an echo counts messages, the others phases
            phases = 2 if self._probe else 1
            self.extra = (1 + self._probe,) if self.plan.pattern == "pingpong" else (phases,)

    def spawned(self, tasks: list[Any], channels: list[Any]) -> None:
        """All tasks have been started, and these channels carry the messages."""
        self.tasks, self._channels = tasks, channels

    def warm_up(self) -> Phase:
        """One message for each task."""
        return self._new_phase(0, self.plan.tasks)

    def probe(self) -> Iterator[Phase]:
        """One burst, if it is worth it."""
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
        """Return how many messages have arrived; where the caller sends them, those that still wait have not."""
        if self._phase is None:
            return 0
        waiting = sum(map(len, self._channels)) if self.plan.pattern == "fanout" else 0
        return max(0, self.plan.messages - self._phase.left - waiting)

    def speed(self, run_s: float) -> dict[str, Any]:
        messages = self.plan.messages
        return {"messages_per_s": messages / run_s, "ns_per_message": run_s / messages * 1e9}

    def worker(self, names: dict[str, Any]) -> str | None:
        """By the channel of its own: its orders, or what an echo answers on."""
        if getattr(names.get("outbox"), "name", None) == "back":
            return "the echo"
        name = str(getattr(names.get("orders"), "name", ""))
        return name if name.startswith(tuple(SEVERAL.values())) else None

    def stopped_short(self) -> str:
        came = self.plan.messages - (self._phase.left if self._phase else self.plan.messages) - 1
        return f"only {max(0, came):,} of {self.plan.messages:,} messages arrived"


def probe_size(plan: ChannelPlan) -> int:
    """Return how many messages tell how long the run will take; 0 if it can't be long enough to be told."""
    if not worth_a_probe(plan.trips * plan.facts.hop):
        return 0
    return min(plan.messages, _PROBE_TRIPS if plan.pattern == "pingpong" else _PROBE)
