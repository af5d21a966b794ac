"""The laps of one run: what is sent round when, and what is measured around it.

The program asks for one lap after the other (`for lap in watch.laps()`), so everything that is measured happens between
two laps, and nothing of it inside one.
"""

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from concmodels import _memory, _usage
from concmodels._estimate import estimate, probe_sizes
from concmodels._memory import Memory
from concmodels._plan import Plan
from concmodels.ring import async_feed, async_node, feed, node


@dataclass(frozen=True, slots=True)
class Lap:
    """Messages that go round together: those numbered `start` to `stop`, the latter excluded."""

    start: int
    stop: int
    in_flight: int
    payload: int
    numbers: Iterator[int]
    """Of the messages still due; a looker-on can tell from it how many are left, at no cost to the program."""


class Listener:
    """Who is told how a run gets on; this one wants to know nothing."""

    wants_estimate = False

    def preparing(self, plan: Plan) -> None:
        """A run begins: the nodes are started."""

    def estimated(self, seconds: float) -> None:
        """The run lap will take about this long."""

    def running(self, watch: Watch) -> None:
        """The run lap begins."""

    def stopped(self) -> None:
        """The run lap is over, or will never begin. May come twice."""


class Watch:
    """Measures one run. `node`, `feed` and `extra` say what the program is to spawn."""

    node: Callable[..., Any]
    feed: Callable[..., Any]

    def __init__(self, plan: Plan, listener: Listener) -> None:
        self.plan = plan
        self.tasks: list[Any] = []
        self.memory: Memory = Memory(None, None)
        self.probe_s: float | None = None
        self._listener = listener
        self._probe = probe_sizes(plan) if listener.wants_estimate else []
        self._links: list[Any] = []
        self._lap: Lap | None = None
        self._choose_nodes()

    def _choose_nodes(self) -> None:
        self.extra: tuple[int, ...] = ()
        if self.plan.facts.separate:
            self.node, self.feed = _usage.measured_node, _usage.measured_feed
            self.extra = (1 + sum(self._probe),)
        elif self.plan.facts.colour == "async":
            self.node, self.feed = async_node, async_feed
        else:
            self.node, self.feed = node, feed

    def begin(self) -> None:
        """The set-up begins."""
        self._listener.preparing(self.plan)
        self._own_peak = _memory.reset_peak()
        self._began = perf_counter()

    def spawned(self, tasks: list[Any], links: list[Any]) -> None:
        """All tasks have been started, on these channels."""
        self.tasks, self._links = tasks, links

    def laps(self) -> Iterator[Lap]:
        """Yield the warm-up, the probe if there is one, and the counted lap."""
        yield self._new_lap(0, 1)
        self._ready = perf_counter()
        first = 1
        if self._probe:
            yield from self._probing(first)
            first += sum(self._probe)
        counted = self._new_lap(first, self.plan.messages)
        self._listener.running(self)
        self._used = _usage.usage()
        self._started = perf_counter()
        yield counted
        self._finished = perf_counter()
        self._used = _usage.since(self._used)
        self._after_the_run()

    def end(self) -> None:
        """The teardown is over."""
        self._over = perf_counter()

    def figures(self, returned: list[Any]) -> dict[str, Any]:
        """Return everything measured, by its name in the result; `returned` is what the tasks returned."""
        laps = self._lap_figures()
        return laps | self._usage_figures(returned) | {"probe_s": self.probe_s}

    def hops_done(self) -> int:
        """Return how many hops the counted messages have made so far; a snapshot, from any thread."""
        if self._lap is None:
            return 0
        collected = self._lap.stop - self._lap.start - self.left()
        return collected * self.plan.nodes + sum(len(link) * behind for behind, link in enumerate(self._links))

    def left(self) -> int:
        """Return how many messages of this lap the caller has not begun to wait for."""
        return operator.length_hint(self._lap.numbers) if self._lap else self.plan.messages

    def _new_lap(self, first: int, count: int) -> Lap:
        stop = first + count
        window = min(self.plan.window, count)
        self._lap = Lap(first, stop, window, self.plan.payload or 0, iter(range(first, stop)))
        return self._lap

    def _probing(self, first: int) -> Iterator[Lap]:
        took = []
        for size in self._probe:
            began = perf_counter()
            yield self._new_lap(first, size)
            took.append(perf_counter() - began)
            first += size
        self.probe_s = sum(took)
        self._listener.estimated(estimate(self.plan, took))

    def _after_the_run(self) -> None:
        """All nodes still live, and wait: the moment to read their memory. None of it belongs to a lap."""
        self._listener.stopped()
        children = _memory.of_descendants()
        own = _memory.own_pss()
        self.memory = Memory(children.peak_rss, None if own is None or children.pss is None else own + children.pss)
        self._closing = perf_counter()

    def _lap_figures(self) -> dict[str, Any]:
        setup, run = self._ready - self._began, self._finished - self._started
        teardown = self._over - self._closing
        hops = self.plan.hops
        return {
            "setup_s": setup,
            "run_s": run,
            "teardown_s": teardown,
            "total_s": setup + run + teardown,
            "hops_per_s": hops / run,
            "ns_per_hop": run / hops * 1e9,
        }

    def _usage_figures(self, returned: list[Any]) -> dict[str, Any]:
        uses = [self._used, *(it for it in returned if it is not None)]
        user, system, voluntary, involuntary, _ = (sum(column) for column in zip(*uses, strict=True))
        return {
            "cpu_user_s": user,
            "cpu_system_s": system,
            "voluntary_switches": voluntary,
            "involuntary_switches": involuntary,
            "peak_rss_bytes": self._peak(uses),
            "peak_pss_bytes": self.memory.pss,
        }

    def _peak(self, uses: list[_usage.Usage]) -> int | None:
        """The peak of this process and those of its children; by `getrusage` where there is no /proc."""
        own = _memory.own_peak(fallback=uses[0][4])
        children = self.memory.peak_rss if self.memory.peak_rss is not None else sum(it[4] for it in uses[1:])
        return None if own is None else own + children
