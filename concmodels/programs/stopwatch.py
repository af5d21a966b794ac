"""The phases of one run of a program, and what is measured around them.

The program asks for one phase after the other (`for phase in timer.phases()`), so everything that is measured happens between
two phases, and nothing of it inside one.
"""

import contextlib
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from concmodels.programs import memory, usage
from concmodels.programs.memory import Memory
from concmodels.programs.messages import Misdelivered

if TYPE_CHECKING:
    from concmodels.programs.plan import AnyPlan


class Listener:
    """Who is told how a run gets on; this one wants to know nothing."""

    wants_estimate = False

    def preparing(self, plan: AnyPlan[Any]) -> None:
        """A run begins: the tasks are started."""

    def estimated(self, seconds: float) -> None:
        """The run phase will take about this long."""

    def running(self, timer: Any) -> None:
        """The run phase of this `Stopwatch` begins."""

    def stopped(self) -> None:
        """The run phase is over, or will never begin. May come twice."""


@dataclass(frozen=True, slots=True)
class Phase:
    """Messages that are sent together: those numbered `start` to `stop`, the latter excluded."""

    start: int
    stop: int
    in_flight: int
    payload: int
    numbers: Iterator[int]
    """Of the messages still due; a looker-on can tell from it how many are left, at no cost to the program."""

    @property
    def left(self) -> int:
        """How many the caller has not begun to deal with; a snapshot."""
        return operator.length_hint(self.numbers)


class Stopwatch[P: AnyPlan[Any], L](ABC):
    """Measures one run; `P` is what its plan is, `L` what a phase is."""

    program: Callable[..., Any]
    """What the model is to run, with itself and this timer as arguments; it returns what its tasks used."""

    def __init__(self, plan: P, listener: Listener) -> None:
        self.tasks: Sequence[Any] = ()
        self.memory: Memory = Memory(None, None)
        self.probe_s: float | None = None
        self._aside_s = 0.0
        self.is_async = plan.facts.is_async
        self.plan = plan
        self.listener = listener

    def measure(self, model: Any) -> list[Any]:
        """Run the program on this model; return what its tasks returned."""
        self.listener.preparing(self.plan)
        self._own_peak = memory.reset_peak()
        self._began = perf_counter()
        returned: list[Any] = model.run(self.program, model, self)
        self._teardown_s = perf_counter() - self._closing - self._aside_s
        return returned

    def figures(self, returned: list[Any]) -> dict[str, Any]:
        """Return everything measured, by its name in the result; `returned` is what the tasks returned."""
        phases = {"setup_s": self._setup_s, "run_s": self._run_s, "teardown_s": self._teardown_s}
        return (
            phases
            | {"total_s": sum(phases.values()), "probe_s": self.probe_s}
            | self.speed(self._run_s)
            | self._usage_figures(returned)
        )

    def phases(self) -> Iterator[L]:
        """Yield the warm-up, the probe if there is one, and the counted phase."""
        yield self.warm_up()
        self._setup_s = perf_counter() - self._began - self._aside_s
        took = []
        for phase in self.probe():
            began = perf_counter()
            yield phase
            took.append(perf_counter() - began)
        if took:
            self.probe_s = sum(took)
            self.listener.estimated(self.estimate(took))
        counted = self.counted()
        self.listener.running(self)
        self._used = usage.usage()
        started = perf_counter()
        yield counted
        self._run_s = perf_counter() - started
        self._used = usage.since(self._used)
        self._after_the_run()

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Do in its `with` what belongs to no phase: during the set-up or the teardown."""
        self.pause()
        yield
        self.resume()

    def pause(self) -> None:
        """Begin what belongs to no phase."""
        self._paused = perf_counter()

    def resume(self) -> None:
        """End it."""
        self._aside_s += perf_counter() - self._paused

    @abstractmethod
    def warm_up(self) -> L:
        """Return the phase after which everything has been started."""

    def probe(self) -> Iterator[L]:
        """Yield phases that tell how long the counted one will take; none if the listener wants no estimate."""
        yield from ()

    def estimate(self, took: list[float]) -> float:
        """Return the seconds that the counted phase will take, from what those of the probe took."""
        raise NotImplementedError

    @abstractmethod
    def counted(self) -> L:
        """Return the counted phase."""

    @abstractmethod
    def speed(self, run_s: float) -> dict[str, Any]:
        """Return the program's own figures."""

    @abstractmethod
    def steps_done(self) -> int:
        """Return how many of the plan's steps have been done; a snapshot, from any thread."""

    own_errors: tuple[type[Exception], ...] = (Misdelivered,)
    """Those that say all that there is to say."""

    def worker(self, names: dict[str, Any]) -> str | None:
        """Return which task it is whose function has these local names, if it is one of the program's own."""
        return None

    def stopped_short(self) -> str:
        """Return in words that a channel was closed before everything had arrived."""
        return "a channel was closed before everything was done"

    def _after_the_run(self) -> None:
        """All tasks still live, and wait: the moment to read their memory. None of it belongs to a phase."""
        self.listener.stopped()
        children = memory.of_descendants()
        own = memory.own_pss()
        self.memory = Memory(children.peak_rss, None if own is None or children.pss is None else own + children.pss)
        self._aside_s = 0.0
        self._closing = perf_counter()

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

    def _peak(self, uses: list[usage.Usage]) -> int | None:
        """The peak of this process and those of its children; by `getrusage` where there is no /proc."""
        own = memory.own_peak(fallback=uses[0][4])
        children = self.memory.peak_rss if self.memory.peak_rss is not None else sum(it[4] for it in uses[1:])
        return None if own is None else own + children
