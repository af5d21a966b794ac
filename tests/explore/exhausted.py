"""All outcomes that a scenario can have, found by a complete search, and those that many schedules come to."""

from concmodels.explore.run import run_once
from concmodels.explore.strategies.pos import POS
from concmodels.explore.strategies.sleep_sets import Redundant, SleepSets
from concmodels.models.simulated.schedules import RandomWalk


def outcomes(scenario, search=None, runs=30_000):
    """The set of outcomes, and the number of runs; None instead of the set if that takes more runs than these."""
    search = search or SleepSets()
    found, count = set(), 0
    while True:
        search.begin()
        run = run_once(scenario, search)
        count += 1
        if not isinstance(run.error, Redundant):
            found.add(outcome(run))
        if not search.end():
            return found, count
        if count >= runs:
            return None, count


def sampled(scenario, runs):
    """The set of outcomes of so many random schedules."""
    return {outcome(run_once(scenario, draw(seed))) for seed in range(runs // 2) for draw in (RandomWalk, POS)}


def outcome(run):
    """What can be told of a run: its value, or its error with what each task waits for."""
    error = run.error
    return run.value, type(error).__name__, "" if error is None else str(error)
