"""The runs of a search: each of them starts the scenario afresh, and is counted and watched.

What watches the code of the scenario is entered for many runs at a time, by one of the two methods that return a
context: `switching` and `racing`.
"""

import gc
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from concmodels.explore.errors import CannotExplore
from concmodels.explore.running.outcome import cause, reached_the_limit
from concmodels.explore.running.repeatable import process_put_back
from concmodels.explore.running.run import run_once
from concmodels.explore.running.watchdog import Stopped, Watchdog
from concmodels.models.simulated.sockets import NoSockets
from concmodels.models.simulated.steps import TIMER
from concmodels.models.simulated.units import Units
from concmodels.models.simulated.world import RunInRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    from concmodels.explore.monitor import Race, RaceDetector, Site, Switches
    from concmodels.explore.running.options import Options
    from concmodels.explore.running.scenario import Scenario
    from concmodels.models.simulated.schedules import Strategy
    from concmodels.models.simulated.steps import Step
    from concmodels.models.simulated.world import Run, World


NO_SOURCE = "the source of the program can't be read, so what its tasks share beside channels and locks is not seen"


class Over(Exception):
    """The schedules or the seconds of the search are used up."""


class Runs:
    """Makes runs. `count` is how many there were, which another thread may read; `races` were found in any of them."""

    _are_some_frozen = False
    """Whether objects are spared by the garbage collector. To count them takes as long as a run, or several."""

    def __init__(self, scenario: Scenario, options: Options) -> None:
        self.scenario = scenario
        self.options = options
        self.count = 0
        self.each: Callable[[], object] | None = None
        """What is called after each of them, where no other thread can look at `count`."""
        self.limited = 0
        """How many runs were cut because they made too many steps."""
        self.is_concurrent = False
        """Whether in any of them a task besides the main one was started, or a time limit has expired."""
        self.races: list[Race] = []
        self.unseen: list[str] = [] if scenario.monitor is not None else [NO_SOURCE]
        """The accesses that no race detector could follow, a sentence each."""
        self._also: Callable[[World], object] | None = None
        self._detector: RaceDetector | None = None
        self._watchdog = Watchdog(options.seconds)
        self._process = process_put_back()
        self._until = 0.0
        self._has_frozen = False

    def __enter__(self) -> Self:
        self._begin = time.monotonic()
        self._until = self._begin + self.options.seconds
        self._put_back = self._process.__enter__()
        self._units = Units()
        # What is there already is no garbage of the runs, and a full collection need not look at it again and again.
        if not Runs._are_some_frozen:
            Runs._are_some_frozen = True
            self._has_frozen = gc.get_freeze_count() == 0
            if self._has_frozen:
                gc.freeze()
        self._watchdog.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._watchdog.__exit__()
        if self._has_frozen:
            gc.unfreeze()
            Runs._are_some_frozen = False
        self._units.end()
        self._process.__exit__(None, None, None)

    def more_time(self) -> None:
        """Let the runs go on for as long again, from now."""
        self._until = time.monotonic() + self.options.seconds
        self._watchdog.start_timer()

    @property
    def is_late(self) -> bool:
        """Whether the time is over that `more_time` has given last."""
        return time.monotonic() > self._until

    @property
    def seconds(self) -> float:
        """The seconds that the search has taken so far."""
        return time.monotonic() - self._begin

    def run(self, strategy: Strategy) -> Run:
        """Make one run of the search. Raises `Over`, or what has ended the search from outside.

        The first one is made however little time there is: what has held in no schedule has not held.
        """
        if self.count >= self.options.schedules or (self.count and self.seconds > self.options.seconds):
            raise Over
        self.count += 1
        self._watchdog.may_be_late = self.count > 1
        run = self.repeat(strategy)
        if isinstance(run.error, Stopped):
            self.count -= 1
            raise Over
        if self.each is not None:
            self.each()
        self.limited += reached_the_limit(run)
        if not self.is_concurrent:
            main = run.steps[0].identity if run.steps else None
            self.is_concurrent = any(
                it.task.identity != main or it.kind == TIMER or it.kind.startswith("go on ") for it in run.steps
            )
        return run

    def repeat(self, strategy: Strategy, *, record: bool = False, also: Callable[[World], object] | None = None) -> Run:
        """Make a run that does not count. With `record`, its steps have places. `also` prepares its world, too."""
        self._put_back()
        self._also = also
        observed = strategy if self._detector is None else _Observed(strategy, self._detector)
        try:
            run = sys.call_tracing(self.once, (observed, record))  # however it ends, events are seen after it
        finally:
            self._watchdog.world = None
        if isinstance(observed, _Observed):
            observed.end()
        self._watchdog.check()
        error = None if run.error is None else cause(run.error)
        if isinstance(error, CannotExplore):
            raise error
        if isinstance(error, NoSockets):
            raise CannotExplore(str(error)) from None
        if isinstance(error, RunInRun):
            raise CannotExplore(
                "the program calls the run of its model, and is explored inside of a run: explore the function that "
                "run is given"
            ) from None
        return run

    def once(self, strategy: Strategy, record: bool) -> Run:
        """Make a run, and nothing else."""
        return run_once(
            self.scenario,
            strategy,
            steps=self.options.steps,
            record=record,
            prepare=self.prepare,
            units=self._units,
        )

    def prepare(self, world: World) -> None:
        """A run is about to begin in this world."""
        self._watchdog.world = world
        world.keeps_order = self.options.order == "kept"
        world.may_be_interrupted = self.options.interrupt
        if self._also is not None:
            self._also(world)
        if self.scenario.monitor is not None:
            self.scenario.monitor.begin()
        if self._detector is not None:
            self._detector.begin(world)

    @contextmanager
    def switching(self, switches: Switches | None = None, *, notes: bool = True) -> Iterator[None]:
        """Let tasks switch wherever the options allow it; footprints are complete with `notes` only."""
        monitor = self.scenario.monitor
        if monitor is None:
            yield
        else:
            with monitor.switching(switches or self.options.switches, notes=notes):
                yield

    @contextmanager
    def racing(self, points: frozenset[Site]) -> Iterator[None]:
        """Let tasks switch at verbs, locks and these sites, and look for races."""
        monitor = self.scenario.monitor
        if monitor is None:
            yield
            return
        with monitor.racing(points) as self._detector:
            try:
                yield
            finally:
                self.races += [race for race in self._detector.found if race not in self.races]
                self.unseen += [it for it in self._detector.unseen if it not in self.unseen]
                self._detector = None

    @property
    def sites(self) -> AbstractSet[Site]:
        """The sites of the races that were found in this phase, which looks for races."""
        return frozenset() if self._detector is None else self._detector.sites


class _Observed:
    """Asks another strategy, and tells the detector of each step that is over."""

    def __init__(self, strategy: Strategy, detector: RaceDetector) -> None:
        self._strategy = strategy
        self._detector = detector
        self._step: Step | None = None
        self.branch = strategy.branch

    def choose(self, steps: list[Step]) -> int:
        """As `Strategy.choose`."""
        if self._step is not None:
            self._detector.is_over(self._step)
            self._step = None
        index = self._strategy.choose(steps)
        self._step = steps[index]
        return index

    def end(self) -> None:
        """The run has ended, and with it its last step."""
        if self._step is not None:
            self._detector.is_over(self._step)
