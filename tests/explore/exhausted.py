"""All outcomes that a scenario can have, found by a complete search, and those that many schedules come to."""

from contextlib import contextmanager

from concmodels.explore.running.run import run_once
from concmodels.explore.strategies.pos import POS
from concmodels.explore.strategies.sleep_sets import Redundant, SleepSets
from concmodels.models.simulated.schedules import RandomWalk
from concmodels.models.simulated.units import Units


def outcomes(scenario, search=None, runs=30_000, **options):
    """The set of outcomes, and the number of runs; None instead of the set if that takes more runs than these."""
    search = search or SleepSets()
    found, count = set(), 0
    with shared_units() as units:
        while True:
            search.begin()
            run = run_once(scenario, search, units=units, **options)
            count += 1
            if not isinstance(run.error, Redundant):
                found.add(outcome(run))
            if not search.end(run):
                return found, count
            if count >= runs:
                return None, count


class EverywhereAwake(SleepSets):
    """Tries at each point all that does not sleep: one run of each kind in which dependent steps have their order."""

    def _next_point(self, *args):
        point = super()._next_point(*args)
        point.want_all()
        return point


def complete_runs(scenario, search, runs):
    """The number of runs that are not cut, and the set of outcomes; None if there are more runs than these."""
    found, complete = set(), 0
    with shared_units() as units:
        for _ in range(runs):
            search.begin()
            run = run_once(scenario, search, units=units)
            if not isinstance(run.error, Redundant):
                complete += 1
                found.add(outcome(run))
            if not search.end(run):
                return complete, found
    return None


def sampled(scenario, runs):
    """The set of outcomes of so many random schedules."""
    with shared_units() as units:
        strategies = (draw(seed) for seed in range(runs // 2) for draw in (RandomWalk, POS))
        return {outcome(run_once(scenario, strategy, units=units)) for strategy in strategies}


@contextmanager
def shared_units():
    """The greenlets that many runs have one after the other."""
    units = Units()
    try:
        yield units
    finally:
        units.end()


def outcome(run):
    """What can be told of a run: its value, or its error with what each task waits for."""
    error = run.error
    return run.value, type(error).__name__, "" if error is None else str(error)
