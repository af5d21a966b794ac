"""The timer of the ring: which messages are sent in which phase, and how fast they went round."""

from collections.abc import Callable, Iterator
from typing import Any

from concmodels.programs.estimate import worth_a_probe
from concmodels.programs.stopwatch import Listener, Phase, Stopwatch
from concmodels.ring.plan import Plan
from concmodels.ring.tasks import (
    async_circle,
    async_feed,
    async_node,
    circle,
    feed,
    measured_feed,
    measured_node,
    node,
)

_BURST = 256


class RingTimer(Stopwatch[Plan, Phase]):
    """Measures one ring. The program spawns `node` and `feed`, each with the arguments `extra` at the end."""

    node: Callable[..., Any]
    feed: Callable[..., Any]

    def __init__(self, plan: Plan, listener: Listener) -> None:
        super().__init__(plan, listener)
        self._probe = probe_sizes(plan) if listener.wants_estimate else []
        self._links: list[Any] = []
        self._phase: Phase | None = None
        self.program = async_circle if plan.facts.is_async else circle
        self._choose_nodes()

    def _choose_nodes(self) -> None:
        self.extra: tuple[int, ...] = ()
        if self.plan.facts.separate:
            self.node, self.feed = measured_node, measured_feed
            self.extra = (1 + sum(self._probe),)
        elif self.plan.facts.is_async:
            self.node, self.feed = async_node, async_feed
        else:
            self.node, self.feed = node, feed

    def spawned(self, tasks: list[Any], links: list[Any]) -> None:
        """Take note of the tasks that were started and of the channels between them."""
        self.tasks, self._links = tasks, links

    def warm_up(self) -> Phase:
        """Return the first phase: one message, which shows that every task has been started."""
        return self._new_phase(0, 1)

    def probe(self) -> Iterator[Phase]:
        """Yield the phases of the probe, if a probe is worth its time: one message alone, then a burst."""
        first = 1
        for size in self._probe:
            yield self._new_phase(first, size)
            first += size

    def estimate(self, took: list[float]) -> float:
        return estimate(self.plan, took)

    def counted(self) -> Phase:
        return self._new_phase(1 + sum(self._probe), self.plan.messages)

    def _new_phase(self, first: int, count: int) -> Phase:
        stop = first + count
        window = min(self.plan.window, count)
        self._phase = Phase(first, stop, window, self.plan.payload or 0, iter(range(first, stop)))
        return self._phase

    def hops_done(self) -> int:
        """Return how many hops the counted messages have made so far; a snapshot, from any thread."""
        if self._phase is None:
            return 0
        collected = self._phase.stop - self._phase.start - self.left()
        return collected * self.plan.nodes + sum(len(link) * behind for behind, link in enumerate(self._links))

    steps_done = hops_done

    def left(self) -> int:
        """Return how many messages of this phase the caller has not begun to wait for."""
        return self._phase.left if self._phase else self.plan.messages

    def speed(self, run_s: float) -> dict[str, Any]:
        hops = self.plan.hops
        return {"hops_per_s": hops / run_s, "ns_per_hop": run_s / hops * 1e9}

    def worker(self, names: dict[str, Any]) -> str | None:
        """Recognise a task by its outgoing channel; `link 0` belongs to the feeder."""
        name = str(getattr(names.get("outbox"), "name", ""))
        if not name.startswith("link "):
            return None
        return "the feeder" if name == "link 0" else f"node {name.removeprefix('link ')}"

    def stopped_short(self) -> str:
        came = self.plan.messages - self.left() - 1
        return f"only {came:,} of {self.plan.messages:,} messages came round"


def probe_sizes(plan: Plan) -> list[int]:
    """Return how many messages each phase of the probe sends; an empty list if the run is too short for a probe."""
    if not worth_a_probe(plan.hops * plan.facts.hop):
        return []
    return [1] if plan.window == 1 else [1, min(_BURST, plan.window)]


def estimate(plan: Plan, took: list[float]) -> float:
    """Return how many seconds the run will take, given how many each phase of its probe took.

    One message alone shows the latency of the ring. A burst shows its pace: the time that each further message adds.
    Where the credits allow fewer messages at a time than a burst has, the burst is as large as they allow, and the run
    is a sequence of such bursts.
    """
    alone = took[0]
    if plan.window == 1:
        return alone * plan.messages
    burst = min(_BURST, plan.window)
    if plan.window <= _BURST:
        return took[1] * plan.messages / burst
    return alone + max(took[1] - alone, took[1] / _BURST) / (burst - 1) * (plan.messages - 1)
