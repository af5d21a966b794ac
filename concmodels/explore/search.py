"""The search: which schedules are run, in which order, and when it ends.

`auto` has three phases. The first runs the plainest schedule twice, to see whether the program repeats itself. The
second is a sample, because most bugs show within a few random schedules: POS, PCT and a random walk take turns. The
third is complete: it tries every schedule that makes a difference, and so can say "held in all". If it can't be
completed, a larger sample gets the rest of the time.

If the program lets threads meet in Python code of the library, which no search switches in, a last sample does: it has
tasks switch where builds with the GIL do.

With `switches="anywhere"`, the complete search switches only at the model's operations and at locks, and looks for data
races in the meantime. The sites of a race that it finds become scheduling points, and it starts again (`monitor.py`).
With "gil" and "checkpoints", it switches where these allow it.

A failure ends the search.
"""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

from concmodels.explore.errors import CannotExplore
from concmodels.explore.eventloops.awaited import Checked
from concmodels.explore.eventloops.haste import AGAIN, ONCE, Haste
from concmodels.explore.eventloops.unwatched import CodeInThread, Unwatched
from concmodels.explore.failures.diagnosis import diagnosed, follower, noted
from concmodels.explore.monitor import NOT_ONE_STEP, ONLY_IF
from concmodels.explore.report import Report
from concmodels.explore.running.outcome import failure_of
from concmodels.explore.running.repeatable import Globals, must_be_alike
from concmodels.explore.running.runs import Over, Runs
from concmodels.explore.strategies.pct import PCT
from concmodels.explore.strategies.pos import POS
from concmodels.explore.strategies.sleep_sets import Redundant, SleepSets
from concmodels.explore.surroundings import Surroundings
from concmodels.models.simulated.schedules import FirstComeFirstServed, RandomWalk, Recorder

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from contextlib import AbstractContextManager

    from concmodels.explore.failures.failure import Failure
    from concmodels.explore.failures.replay_id import ReplayId
    from concmodels.explore.monitor import Site
    from concmodels.explore.running.options import Options
    from concmodels.explore.running.scenario import Scenario
    from concmodels.models.simulated.schedules import Schedule, Strategy
    from concmodels.models.simulated.world import Run

FIRST_SAMPLE = 100
"""The schedules that `auto` draws before it tries them all."""

SECONDS_OF_HASTE = 1.0
"""How long it may take to end sleeps too soon."""

SECONDS_UNFOLLOWED = 0.5
"""How long all schedules of an event loop are tried before what its callbacks access is followed."""

SHARE_OF_COMPLETE = 0.7
"""Of the time of `auto`, after how much the complete search is given up for a greater sample."""

SAMPLE_IN_LIBRARY = 200
SECONDS_IN_LIBRARY = 2.0
"""How many schedules switch in the library, and how long that may take."""

NO_TASK = (
    "no task was started that the explorer can see, so nothing was explored: a program starts threads by threading, "
    "and tasks on an event loop or by a model that it has loaded"
)

MOST_HASTY = 100
"""The most runs in which sleeps end too soon, for each line that is found to rely on that."""

_TURNS = ("pos", "pct", "pos", "random")


class Found(Exception):
    """A run has failed: the search is over.

    `source` says how the schedule was found. `points` are those of the complete search besides verbs and locks; None
    if the run has switched wherever the options allow it.
    """

    def __init__(self, run: Run, source: str, points: frozenset[Site] | None) -> None:
        self.run = run
        self.source = source
        self.points = points


class Search:
    """One search of a scenario."""

    def __init__(self, scenario: Scenario, options: Options) -> None:
        self._wanted_options = options
        if scenario.is_async or scenario.is_cooperative:
            options = replace(options, switches="checkpoints")
        self.runs = Runs(scenario, options)
        self._surroundings = Surroundings()
        self.scenario = scenario
        self.options = options
        self._outcomes: Counter[Any] = Counter()
        self._redundant = 0
        self._tried: int | None = None
        """How many different schedules there are, once all of them were run."""
        self._length = 2
        self._unseen: list[str] | None = None
        """What was not seen, if that was asked for before the end."""
        self._is_timed = self._has_failed = False
        self._hasty: dict[str, None] = {}
        """On which sleeps the program relies, a sentence each."""
        self._wanted = ""
        """The run that is looked for, whether it fails or not; by default the first one that fails."""

    def report(self) -> Report:
        """Search, and return what was found. Raises `CannotExplore`, and `KeyboardInterrupt`."""
        try:
            return self._found()
        except CodeInThread:
            return self._watched().report()

    def _watched(self) -> Search:
        """Return a search of the same program that watches its code. Raises `CodeInThread`."""
        if self.scenario.watched is None:
            raise CodeInThread
        return Search(self.scenario.watched(), self._wanted_options)

    def _found(self) -> Report:
        with self._surroundings.watched(), self.runs:
            try:
                failure = None
                self._search()
                if isinstance(self.scenario.function, Checked):
                    self._hasten()
            except Found as found:
                failure = diagnosed(self.runs, found.run, found.source, found.points)
            report = self._report(failure)
            return self._report_in_library(report) or report

    def _report_in_library(self, report: Report) -> Report | None:
        """Return what is found if tasks switch in the library, too, where this search has seen several steps as one."""
        options, left = self.options, self.options.seconds - self.runs.seconds
        is_torn = any(NOT_ONE_STEP in it for it in report.unseen)
        if report.failure or not is_torn or options.switches != "anywhere" or options.search != "auto" or left <= 0:
            return None
        sample, seconds = min(SAMPLE_IN_LIBRARY, options.schedules), min(left, SECONDS_IN_LIBRARY)
        search = Search(
            self.scenario, replace(options, switches="gil", search="pos", schedules=sample, seconds=seconds)
        )
        found = search.report()
        if found.failure is None:
            return None
        failure = replace(found.failure, number=report.schedules + found.failure.number)
        schedules, seconds = report.schedules + found.schedules, report.seconds + found.seconds
        return replace(found, schedules=schedules, seconds=seconds, failure=failure)

    def replay(self, replay_id: ReplayId) -> Report:
        """Run one schedule, and report what comes of it. Raises `CannotExplore`."""
        if self.scenario.watched is not None and replay_id.switches != "checkpoints":
            return self._watched().replay(replay_id)  # it was found by such a search
        try:
            return self._replayed(replay_id)
        except CodeInThread:
            return self._watched().replay(replay_id)

    def _replayed(self, replay_id: ReplayId) -> Report:
        with self._surroundings.watched(), self.runs:
            schedule = replay_id.schedule
            if schedule is None:
                schedule = self._schedule_from(replay_id.source)
            with self.runs.switching():
                if replay_id.switches == "gil":  # what the library does only once, it has done in the search, too
                    self.runs.repeat(FirstComeFirstServed())
                return self._report(noted(self.runs, schedule, replay_id))

    def _schedule_from(self, source: str) -> Schedule:
        """Return the schedule that a search has found there."""
        if not source.startswith("all"):
            return self._recorded(strategy_of(source))
        self._wanted = source
        try:
            self._complete()
        except Found as found:
            return self._recorded(follower(self.runs, found.run, found.points))
        raise CannotExplore("a search of all schedules does not come to this one: the replay id was changed")

    def _recorded(self, strategy: Strategy) -> Schedule:
        recorder = Recorder(strategy)
        with self.runs.switching():
            self.runs.run(recorder)
        return recorder.schedule

    def _report(self, failure: Failure | None) -> Report:
        runs = self.runs
        unseen = (*(self._all_unseen() if self._unseen is None else self._unseen), *self._hasty)
        return Report(
            scenario=self.scenario,
            options=self.options,
            schedules=runs.count - self._redundant,
            redundant=self._redundant,
            in_all=None if unseen else self._tried,
            limited=runs.limited,
            outcomes=self._outcomes,
            failure=failure,
            races=tuple(runs.races),
            unseen=unseen,
            not_explored=NO_TASK if NO_TASK in unseen else "",
            seconds=runs.seconds,
        )

    def _all_unseen(self) -> list[str]:
        monitor = self.scenario.monitor
        outside = () if monitor is None else monitor.unexplored
        loops = self.scenario.function if isinstance(self.scenario.function, Checked) else None
        is_explored = self.runs.is_concurrent or (loops is not None and loops.has_limits)
        no_task = () if is_explored else (NO_TASK,)
        in_loops = () if loops is None else loops.unseen
        return [*self.runs.unseen, *outside, *self._surroundings.unseen, *in_loops, *no_task]

    def _search(self) -> None:
        phases: dict[str, list[Callable[[], None]]] = {
            "auto": [self._first_sample, self._begin_complete, self._follow, self._part_of_complete, self._sample_on],
            "all": [self._begin_complete, self._follow, self._complete],
        }
        try:
            self._repeat()
            for phase in phases.get(self.options.search, [self._sample_on]):
                if self._tried is None:
                    phase()
        except Over:
            pass

    def _repeat(self) -> None:
        """Run the plainest schedule twice. Raises `NotRepeatable`."""
        before = Globals(self.scenario)
        with self._completely(frozenset()):
            one = self.runs.run(FirstComeFirstServed())
            before.check()
            must_be_alike(one, self.runs.repeat(FirstComeFirstServed()))
        self._judge(one, "first", self._points(frozenset()))

    # A sample.

    def _first_sample(self) -> None:
        self._sample(range(FIRST_SAMPLE))

    def _sample_on(self) -> None:
        self._sample(count(FIRST_SAMPLE if self.options.search == "auto" else 0))

    def _sample(self, numbers: Iterable[int]) -> None:
        with self.runs.switching(notes=False):
            self._length = max(2, len(self.runs.repeat(FirstComeFirstServed()).steps))
            for number in numbers:
                source = self._source(number)
                self._judge(self.runs.run(strategy_of(source)), source, None)

    def _source(self, number: int) -> str:
        name = _TURNS[number % 4] if self.options.search == "auto" else self.options.search
        return f"{name}{self.options.seed + number}" + (f".{self._length}" if name == "pct" else "")

    # All.

    def _begin_complete(self) -> None:
        """Try every schedule, if that takes a moment; only for programs that can be followed."""
        if isinstance(self.scenario.monitor, Unwatched) and self.scenario.monitor.may_follow:
            self._complete(self.runs.seconds + SECONDS_UNFOLLOWED)

    def _follow(self) -> None:
        """Follow what callbacks access in one run. If no two of them can meet, all schedules do the same."""
        monitor = self.scenario.monitor
        if not isinstance(monitor, Unwatched) or self.options.interrupt or self.options.order != "kept":
            return
        if not monitor.can_follow:
            return
        with suppress(CannotExplore):  # another tool may be monitoring this process
            with self.runs.racing(frozenset()):
                run = self.runs.run(FirstComeFirstServed())
                self._judge(run, "first", self._points(frozenset()))
            if monitor.are_alike and not run.cut:
                self._tried = 1

    def _part_of_complete(self) -> None:
        self._complete(self.options.seconds * SHARE_OF_COMPLETE)

    def _complete(self, until: float = float("inf")) -> None:
        """Try every schedule that makes a difference, again with more points as long as new races are found."""
        points: frozenset[Site] = frozenset()
        for number in count():
            more = self._pass(points, number, until)
            if more is None:
                break
            points |= more
        if self._tried is not None and self.options.switches != "anywhere":
            self._look_anywhere()

    def _look_anywhere(self) -> None:
        """Look whether the program holds wherever tasks switch, if these points leave something open: then it holds.

        With the GIL tasks switch in Python's library too, of which this search has seen nothing. And which accesses
        only a clock orders is seen in a search of that kind alone.
        """
        self._unseen = self._all_unseen()
        if self.scenario.is_async or self.scenario.is_cooperative or not (self._unseen or self._is_timed):
            return
        left = self.options.seconds - self.runs.seconds
        search = Search(self.scenario, replace(self.options, switches="anywhere", search="all", seconds=max(left, 1.0)))
        search._wanted = "none"
        report = search.report()
        if report.in_all and not search._has_failed:
            self._unseen = []
        else:
            self._unseen += [it for it in report.unseen if it.startswith(ONLY_IF) and it not in self._unseen]

    def _pass(self, points: frozenset[Site], number: int, until: float) -> frozenset[Site] | None:
        """Try every schedule with these points; return more points, or None if it is of no use to begin again."""
        runs, search = self.runs, SleepSets()
        limited, complete_runs = runs.limited, 0
        with self._completely(points):
            for attempt in count():
                search.begin()
                run = runs.run(search)
                is_last = not search.end(run)
                self._is_timed |= run.is_timed
                if run.cut and isinstance(run.error, Redundant):
                    self._redundant += 1
                else:
                    complete_runs += 1
                    self._judge(run, f"all{number}.{attempt}", self._points(points))
                if more := runs.sites - points:
                    return frozenset(more)
                if is_last:
                    break
                if runs.seconds > until:
                    return None
        if runs.limited == limited:
            self._tried = complete_runs
        return None

    # Sleeps that end too soon.

    def _hasten(self) -> None:
        """Note which sleeps the program relies on: it fails if they alone end too soon."""
        self.runs.more_time()
        until = self.runs.seconds + SECONDS_OF_HASTE
        met: set[Any] = set()
        found: set[Any] = set()
        plain = Haste(most=0)
        with suppress(CannotExplore), self.runs.switching("checkpoints", notes=False):
            self.runs.repeat(FirstComeFirstServed(), also=plain.begin)
            while places := self._relied_on(until, met, most=ONCE, among=plain.passed, spared=found):
                found.update(places)
            for place in sorted(met - found):
                self._relied_on(until, met, most=AGAIN, among=plain.passed, only=place)

    def _relied_on(self, until: float, met: set[Any], **which: Any) -> Collection[Any]:
        """Return which sleeps have ended too soon in a run that failed; nothing if no run has."""
        search = SleepSets()
        for _ in range(MOST_HASTY):
            search.begin()
            haste = Haste(**which)
            run = self.runs.repeat(search, also=haste.begin)
            met |= haste.met
            if haste.ended and failure_of(run, self.options.check) is not None:
                self._hasty |= dict.fromkeys(haste.sentences)
                return haste.ended
            if self.runs.seconds > until or not search.end(run):
                break
        return ()

    def _completely(self, points: frozenset[Site]) -> AbstractContextManager[None]:
        """Let tasks switch where it makes a difference."""
        if self.options.switches == "anywhere":
            return self.runs.racing(points)
        return self.runs.switching("gil in the program" if self.options.switches == "gil" else None)

    def _points(self, points: frozenset[Site]) -> frozenset[Site] | None:
        return None if self.options.switches == "checkpoints" else points

    def _judge(self, run: Run, source: str, points: frozenset[Site] | None) -> None:
        """Note what a run has come to. Raises `Found` if it has failed."""
        error = failure_of(run, self.options.check)
        self._has_failed |= error is not None
        if source == self._wanted or (error is not None and not self._wanted):
            raise Found(run, source, points)
        if not run.cut:
            self._outcomes[_hashable(run.value)] += 1


def strategy_of(source: str) -> Strategy:
    """Return the strategy of a source: `first`, `pos7`, `random7`, or `pct7.40`."""
    name = source.rstrip("0123456789.")
    seed, _, length = source.removeprefix(name).partition(".")
    if name == "first":
        return FirstComeFirstServed()
    if name == "pct":
        return PCT(int(seed), int(length))
    return POS(int(seed)) if name == "pos" else RandomWalk(int(seed))


def _hashable(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value
