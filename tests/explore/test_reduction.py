"""The complete search leaves out most schedules, and must not leave out any outcome.

The oracle is the search that leaves out nothing: on every random program both must find the same outcomes.

    pytest tests/explore/test_reduction.py --programs 1000
"""

from functools import partial
from itertools import count

import pytest
from channel_programs import Program
from exhausted import outcomes

from concmodels.explore.strategies.sleep_sets import SleepSets, conflict

MOST_REDUCED, MOST_FULL = 40, 3_000
"""A program for which a search needs more runs than these is too large, and left out."""


PER_TEST = 5


def pytest_generate_tests(metafunc):
    if "part" in metafunc.fixturenames:
        metafunc.parametrize("part", range(-(-metafunc.config.getoption("--programs") // PER_TEST)))


def small_programs(number, part):
    """So many programs of which every schedule can be run, each with its outcomes and the runs that this took."""
    for seed in count(part * 1000):
        program = Program(seed)
        _, runs = outcomes(program.scenario, runs=MOST_REDUCED)
        if runs == MOST_REDUCED:
            continue
        found, full = outcomes(program.scenario, SleepSets(reduce=False), runs=MOST_FULL)
        if found is not None:
            yield program, found, full
            number -= 1
        if not number:
            return


def disagreements(number, part):
    """The programs for which the reduced search has other outcomes; and how many runs both searches took."""
    wrong, full_runs, reduced_runs = [], 0, 0
    for program, found, full in small_programs(number, part):
        reduced, runs = outcomes(program.scenario)
        full_runs, reduced_runs = full_runs + full, reduced_runs + runs
        if reduced != found:
            wrong.append(f"{program.text}\nmissed: {found - reduced}\ntoo many: {reduced - found}")
    return wrong, full_runs, reduced_runs


@pytest.mark.timeout(240)
def test_the_reduced_search_finds_every_outcome_and_no_other(part, record_property):
    wrong, full, reduced = disagreements(PER_TEST, part)
    record_property("runs", f"{full} full, {reduced} reduced")
    assert not wrong, "\n\n".join(wrong)
    assert reduced < full


@pytest.mark.timeout(240)
@pytest.mark.parametrize("kind", ["channel", "task"])
def test_a_wrong_dependency_is_found(kind):
    """Two hundred programs are enough to see that steps which touch the same channel, or wake a task, depend."""
    assert any(map(partial(is_told_apart, kind), range(200)))


def is_told_apart(kind, seed):
    """Whether the outcomes of this program differ for a search that takes no note of such keys."""
    scenario = Program(seed).scenario
    found, _ = outcomes(scenario, runs=MOST_REDUCED)
    return found is not None and outcomes(scenario, SleepSets(conflict=blind_to(kind)))[0] != found


def blind_to(kind):
    def conflict_but_for(one, other):
        return conflict({key: changes for key, changes in one.items() if key[0] != kind}, other)

    return conflict_but_for
