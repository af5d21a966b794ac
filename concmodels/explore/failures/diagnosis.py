"""From a run that has failed to a `Failure`: the shortest schedule that does it, with every step noted."""

from typing import TYPE_CHECKING

from concmodels.explore.errors import CannotExplore, NotRepeatable
from concmodels.explore.failures.contested import contested
from concmodels.explore.failures.failure import Failure
from concmodels.explore.failures.moment import Moment
from concmodels.explore.failures.replay_id import ReplayId, checksum
from concmodels.explore.running.outcome import failure_of, kind
from concmodels.explore.shortest.fewest import with_fewest
from concmodels.explore.shortest.following import Following
from concmodels.explore.shortest.minimise import minimised
from concmodels.explore.strategies.sleep_sets import SleepSets
from concmodels.models.simulated.schedules import Decisions, Recorder, Replay, Schedule
from concmodels.models.simulated.steps import text_of

if TYPE_CHECKING:
    from concmodels.explore.failures.contested import Footprint
    from concmodels.explore.monitor import Site
    from concmodels.explore.running.runs import Runs
    from concmodels.models.simulated.schedules import Strategy
    from concmodels.models.simulated.steps import Step
    from concmodels.models.simulated.world import Run

FEW = 1
"""With so many forced switches, a schedule is short enough."""

RACE_RUNS = 100
"""How many schedules are searched for a data race, if a failure was found before any."""


def diagnosed(runs: Runs, run: Run, source: str, points: frozenset[Site] | None) -> Failure:
    """Return the failure of this run. Raises `NotRepeatable` if the same choices don't lead to it again.

    `points` are those of the complete search; None if it was one of a sample.
    """
    number = runs.count
    with runs.switching():
        schedule = shortest(runs, follower(runs, run, points), kind_of(runs, run))
        if schedule is None:
            raise NotRepeatable
        failure = noted(
            runs,
            schedule,
            ReplayId(
                checksum(runs.scenario.codes),
                runs.options.switches,
                schedule,
                source,
                runs.options.order,
                runs.options.interrupt,
            ),
        )
    assert failure is not None, "the shortest schedule has failed before"
    look_for_races(runs)
    failure.number, failure.races = number, tuple(runs.races)
    return failure


def shortest(runs: Runs, strategy: Strategy, wanted: tuple[str, str] | None) -> Schedule | None:
    """Return the shortest schedule found that has this failure, beginning with that of a strategy; None if it has not.

    It takes no longer than the search itself may: then what has been found by then is returned.
    """
    failed: list[Run] = []

    def fails(strategy: Strategy) -> bool:
        if failed and runs.is_late:
            return False
        run = runs.repeat(strategy)
        if kind_of(runs, run) != wanted:
            return False
        if not failed:
            failed.append(run)
        return True

    runs.more_time()
    schedule = minimised(strategy, fails)
    if schedule is not None and len(schedule.forced) > FEW and not runs.is_late:
        plain = runs.repeat(Replay(Schedule({})))  # a task that waits for ever has not done what it waits for
        keys = contested(map(touched, failed[0].steps)) | contested(map(touched, plain.steps))
        schedule = with_fewest(keys, fails, len(schedule.forced)) or schedule
    return schedule


def noted(runs: Runs, schedule: Schedule, replay_id: ReplayId) -> Failure | None:
    """Run this schedule once more and note its steps; return the failure, None if it does not fail.

    Raises `CannotExplore` if the program can't follow the schedule.
    """
    runs.more_time()
    follow = Replay(schedule)
    recorder = Recorder(follow)
    run = runs.repeat(recorder, record=True)
    if follow.strayed:
        raise CannotExplore("the program can't follow this schedule: it is of another program, or was changed")
    error = failure_of(run, runs.options.check)
    if error is None:
        return None
    forced = {point + 1 for point in recorder.schedule.forced}  # the first step is not put to the strategy
    moments = tuple(Moment.of(step, number in forced) for number, step in enumerate(run.steps))
    return Failure(error, recorder.schedule, str(replay_id), moments)


def follower(runs: Runs, run: Run, points: frozenset[Site] | None) -> Strategy:
    """Return what does the same as a run that had these points besides verbs and locks, where tasks may switch now."""
    monitor = runs.scenario.monitor
    if points is None or monitor is None:
        return Decisions(run.decisions)
    return Following(run.decisions, lambda step: monitor.is_left_out(step, points))


def touched(step: Step) -> tuple[str, Footprint]:
    """Return the task of a step, and what it has touched."""
    return text_of(step.task.identity), step.footprint


def kind_of(runs: Runs, run: Run) -> tuple[str, str] | None:
    """Return what makes failures like that of this run alike; None if it has not failed."""
    error = failure_of(run, runs.options.check)
    return None if error is None else kind(error)


def look_for_races(runs: Runs) -> None:
    """Search some schedules for a data race, unless one was found: it may be the cause, and its lines explain it."""
    if runs.races or runs.scenario.monitor is None or runs.options.switches != "anywhere":
        return
    runs.more_time()
    search = SleepSets()
    with runs.racing(frozenset()):
        for _ in range(RACE_RUNS):
            search.begin()
            run = runs.repeat(search)
            if runs.is_late or not search.end(run) or runs.sites:
                return
