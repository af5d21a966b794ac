"""Measures one run of a program, phase by phase.

The program asks for one phase after the other (`for phase in timer.phases()`): a warm-up, and the counted phase. So
everything that is measured is measured between two phases, and costs nothing within one.
"""

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from concmodels.platform import measuring
from concmodels.programs import memory, usage
from concmodels.programs.messages import Misdelivered

if TYPE_CHECKING:
    from concmodels.programs.output.progress import Bar
    from concmodels.programs.plan import AnyPlan

_SHORTEST_S = 0.3  # the kernel counts in hundredths of a second how busy it is


@dataclass(slots=True)
class Phase:
    """One phase of a run that sends messages: those with the numbers from `start` to `stop`, the latter excluded."""

    start: int
    stop: int
    in_flight: int
    payload: int
    numbers: Iterator[int] = field(init=False)
    """The numbers of the messages still due. The progress bar reads its length, at no cost to the program."""

    def __post_init__(self) -> None:
        self.numbers = iter(range(self.start, self.stop))

    @property
    def begun(self) -> int:
        """The number of messages that the caller has begun to deal with; a snapshot."""
        return self.stop - self.start - operator.length_hint(self.numbers)


class Stopwatch[P: AnyPlan, PhaseT](ABC):
    """Measures one run; `P` is the type of its plan, `PhaseT` that of a phase. Each program has a subclass."""

    program: Callable[..., Any]
    """The function to run, with the model and this stopwatch as arguments; it returns what its tasks used."""
    steps: int
    """The number of steps that the progress bar counts."""
    own_errors: tuple[type[Exception], ...] = (Misdelivered,)
    """Exceptions whose message needs no addition, such as the name of the task."""
    bar: Bar | None = None
    """The progress bar, if one is shown."""

    def __init__(self, plan: P) -> None:
        self.plan = plan
        self.tasks: Sequence[Any] = ()
        self._aside_s = 0.0

    def measure(self, model: Any) -> list[Any]:
        """Run the program on this model; return what its tasks returned."""
        memory.reset_peak()
        self._began = perf_counter()
        returned: list[Any] = model.run(self.program, model, self)
        self._teardown_s = perf_counter() - self._closing - self._aside_s
        return returned

    def figures(self, returned: list[Any]) -> dict[str, Any]:
        """Return everything measured, by its name in the result; `returned` is what the tasks returned."""
        phases = {"setup_s": self._setup_s, "run_s": self._run_s, "teardown_s": self._teardown_s}
        total = {"total_s": sum(phases.values())}
        return phases | total | self.speed(self._run_s) | self._memory_and_usage(returned)

    def phases(self) -> Iterator[PhaseT]:
        """Yield the warm-up and the counted phase."""
        self.phase = self.warm_up()
        yield self.phase
        self._setup_s = perf_counter() - self._began - self._aside_s
        self.phase = self.counted()
        if self.bar:
            self.bar.start()
        busy = measuring.busy()
        before = usage.usage()
        started = perf_counter()
        yield self.phase
        self._run_s = perf_counter() - started
        self._used = usage.since(before)
        after = measuring.busy()
        self._busy_s = None if busy is None or after is None else after - busy
        if self.bar:
            self.bar.stop()
        own_pss, self._others = memory.own_pss(), memory.of_descendants()  # all tasks still live, and wait
        self._pss = None if own_pss is None or self._others.pss is None else own_pss + self._others.pss
        self._aside_s = 0.0
        self._closing = perf_counter()

    def pause(self) -> None:
        """Stop the clock: the time until `resume` does not count."""
        self._paused = perf_counter()

    def resume(self) -> None:
        """Let the clock go on after a `pause`."""
        self._aside_s += perf_counter() - self._paused

    @abstractmethod
    def warm_up(self) -> PhaseT:
        """Return the first phase, at whose end every task is known to have started."""

    @abstractmethod
    def counted(self) -> PhaseT:
        """Return the counted phase."""

    @abstractmethod
    def speed(self, run_s: float) -> dict[str, Any]:
        """Return the program's own figures, given the seconds that the counted phase took."""

    @abstractmethod
    def steps_done(self) -> int:
        """Return how many of the steps have been done; a snapshot, from any thread."""

    def worker(self, names: dict[str, Any]) -> str | None:
        """Return the name of the program's task whose function has these local variables, if it is one."""
        return None

    def stopped_short(self) -> str:
        """Return the message for a channel that was closed before everything had arrived."""
        return "a channel was closed before everything was done"

    def _memory_and_usage(self, returned: list[Any]) -> dict[str, Any]:
        uses = [self._used, *(it for it in returned if it is not None)]
        user, system, voluntary, involuntary, _ = (sum(column) for column in zip(*uses, strict=True))
        own_peak = memory.own_peak(fallback=self._used[4])
        others_peak = self._others.peak_rss  # else each reports its own
        others_peak = sum(it[4] for it in uses[1:]) if others_peak is None else others_peak
        others = None
        if self._busy_s is not None and self._run_s >= _SHORTEST_S:
            others = max(0.0, self._busy_s - user - system) / self._run_s
        return {
            "other_cpus": others,
            "cpu_user_s": user,
            "cpu_system_s": system,
            "voluntary_switches": voluntary,
            "involuntary_switches": involuntary,
            "peak_rss_bytes": None if own_peak is None else own_peak + others_peak,
            "peak_pss_bytes": self._pss,
        }
