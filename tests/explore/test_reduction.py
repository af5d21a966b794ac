"""The complete search leaves out most schedules, and must not leave out any outcome.

The oracle is the search that leaves out nothing: on every random program both must find the same outcomes. Where there
are too many schedules for that, some are drawn, and the complete search must know all outcomes of these. There are four
families of programs: of channels, of pools, of threads, and of plain code.

    pytest tests/explore/test_reduction.py --thorough          a thousand programs, and more schedules
"""

import ast
import inspect
from contextlib import nullcontext
from functools import cache
from itertools import chain, count, islice

import channel_programs
import plain_programs
import pool_programs
import pytest
import reduced_programs
import thread_programs
from exhausted import EverywhereAwake, complete_runs, outcomes, sampled

from concmodels.explore import explore
from concmodels.explore.running.run import run_once
from concmodels.explore.scenarios import of_function
from concmodels.explore.strategies.sleep_sets import SleepSets, conflict
from concmodels.models.simulated import steps
from concmodels.models.simulated.schedules import FirstComeFirstServed

FAMILIES = {
    "channels": channel_programs.Program,
    "pools": pool_programs.Program,
    "threads": thread_programs.Program,
    "plain code": plain_programs.Program,
}
MOST_REDUCED = 200
"""A program for which the complete search needs more runs is too large, and left out."""
MOST_FULL, FEWER = 3_000, 500
"""If the search that leaves out nothing needs more runs, without `--thorough` FEWER, schedules are drawn instead."""
DRAWN = 1 / 3
"""So many of these."""
PER_TEST = 2
MORE = 250
"""Programs of each family with `--thorough`; as a rule there are PER_TEST."""
ENOUGH = 400
"""So many programs are tried to show that a kind of key is needed."""
KNOWN = {"group": 213, "event": 63, "task": 12, "channel": 17, "map": 109}
"""Programs that show it, and are tried first: for these kinds they are rare."""
FEW = 200
"""The most runs of one of these."""


def pytest_generate_tests(metafunc):
    if "part" in metafunc.fixturenames:
        thorough = metafunc.config.getoption("thorough")
        programs = metafunc.config.getoption("--programs") or (MORE if thorough else PER_TEST)
        metafunc.parametrize("part", range(-(-programs // PER_TEST)))


@pytest.fixture
def most(thorough):
    """The most runs of a search that leaves out nothing."""
    return MOST_FULL if thorough else FEWER


def watched(program):
    """What has the code of a program watched during its runs."""
    return getattr(program, "watched", nullcontext)()


def small_programs(make, part, told):
    """Programs that are small enough, each with the outcomes of the complete search; `told` counts the others."""
    for number in count(part * 1000):
        program = make(number)
        with watched(program):
            reduced, runs = outcomes(program.scenario, runs=MOST_REDUCED)
        if reduced is None:
            told["too large"] += 1
        else:
            told["reduced runs"] += runs
            yield program, reduced


def expected(program, most, told):
    """All outcomes of a program, or those of many schedules."""
    with watched(program):
        full, runs = outcomes(program.scenario, SleepSets(reduce=False), runs=most)
        told["compared with all schedules" if full else "compared with a sample"] += 1
        told["full runs"] += runs
        return full or sampled(program.scenario, round(most * DRAWN))


@pytest.mark.timeout(280)
@pytest.mark.parametrize("family", FAMILIES)
def test_the_reduced_search_finds_every_outcome(family, part, most, tmp_path, record_property):
    told = dict.fromkeys(
        ("compared with all schedules", "compared with a sample", "too large", "full runs", "reduced runs"), 0
    )
    wrong = []
    for program, reduced in islice(small_programs(maker(family, tmp_path), part, told), PER_TEST):
        if missed := expected(program, most, told) - reduced:
            wrong.append(f"{program.text}\nmissed: {missed}")
    record_property("random programs", (family, told))
    assert not wrong, "\n\n".join(wrong)
    assert told["reduced runs"] < told["full runs"] or part  # of two small programs there may be nothing to leave out


@pytest.mark.timeout(280)
def test_a_search_at_locks_and_races_finds_what_one_at_every_instruction_finds(part, tmp_path):
    """The complete search of `explore` switches at locks only, and where it has found a race."""
    told = {"too large": 0, "reduced runs": 0}
    for program, everywhere in islice(small_programs(maker("plain code", tmp_path), part, told), PER_TEST):
        report = explore(str(program.path), search="all", schedules=100_000, seconds=100.0)
        assert report.in_all, f"{program.text}\n{report}"
        assert set(report.outcomes) == {value for value, *_ in everywhere}, program.text


@pytest.mark.timeout(280)
@pytest.mark.parametrize("make", [thread_programs.OfThree, thread_programs.Program, pool_programs.Program])
def test_what_is_tried_at_a_point_leaves_out_no_order(make, part, most, record_property):
    """Sleep sets alone make one run for each order of the dependent steps, and begin many more that they cut."""
    told = {"runs": 0, "too large": 0}
    for number in range(part * 2 * PER_TEST, (part + 1) * 2 * PER_TEST):
        program = make(number)
        every = complete_runs(program.scenario, EverywhereAwake(), most)
        if every is None:
            told["too large"] += 1
        else:
            told["runs"] += every[0]
            assert complete_runs(program.scenario, SleepSets(), most) == every, program.text
    record_property("random programs", (f"orders, {make.__module__}.{make.__name__}", told))
    assert told["runs"]


class LooksAgain(SleepSets):
    """Has each step looked at, also those which the last run has done."""

    is_repeating = False


@pytest.mark.timeout(280)
@pytest.mark.parametrize("switches", ["checkpoints", "gil in the program"])
def test_a_step_that_is_repeated_need_not_be_looked_at_again(switches, part, tmp_path):
    """What it has touched is known, so all runs are the same ones."""
    count = 0
    for number in range(part * 2 * PER_TEST, (part + 1) * 2 * PER_TEST):
        program = plain_programs.Program(number, tmp_path)
        with program.scenario.monitor.switching(switches):
            looked_again = decisions(program.scenario, LooksAgain())
            assert decisions(program.scenario, SleepSets()) == looked_again, program.text
        count += len(looked_again)
    assert count > 2 * PER_TEST


def decisions(scenario, search):
    """The decisions of the runs of a search, of the first ones if there are many."""
    found = []
    for _ in range(MOST_REDUCED):
        search.begin()
        run = run_once(scenario, search, prepare=lambda _: scenario.monitor.begin())
        found.append(run.decisions)
        if not search.end(run):
            break
    return found


def maker(family, folder):
    """What makes the program of a number."""
    make = FAMILIES[family]
    return (lambda number: make(number, folder)) if family == "plain code" else make


# Each kind of key is needed.


FAMILY_OF = {
    **dict.fromkeys(("task", "channel", "group", "event"), "channels"),
    **dict.fromkeys(("future", "map"), "pools"),
    **dict.fromkeys(("lock", "queue", "thread"), "threads"),
    **dict.fromkeys(("global", "cell", "attribute", "item"), "plain code"),
}
"""The programs that show that a kind of key is needed. A new kind has to be added here."""


@cache
def kinds():
    """The kinds of keys, from the text of the type that has them all."""
    for node in ast.walk(ast.parse(inspect.getsource(steps))):
        if isinstance(node, ast.TypeAlias) and node.name.id == "Kind":
            return ast.literal_eval(node.value.slice)
    raise AssertionError("there is no type Kind in steps.py")


@pytest.mark.timeout(240)
@pytest.mark.parametrize("kind", kinds())
def test_a_wrong_dependency_is_found(kind, tmp_path):
    """Some program tells a search that takes no note of such keys from one that does."""
    family = FAMILY_OF[kind]
    make = maker(family, tmp_path)
    numbers = chain([KNOWN.get(kind, 0)], range(ENOUGH))
    assert any(is_told_apart(kind, make(number)) for number in numbers)


def is_told_apart(kind, program):
    """Whether a search that takes no note of such keys finds fewer outcomes of this program."""
    with watched(program):
        if not has_key(kind, program):
            return False
        found, _ = outcomes(program.scenario, runs=FEW)
        return found is not None and outcomes(program.scenario, SleepSets(conflict=blind_to(kind)))[0] != found


def has_key(kind, program):
    """Whether several tasks touch such a key in the plainest schedule."""
    tasks = {}
    for step in run_once(program.scenario, FirstComeFirstServed()).steps:
        for key in step.footprint:
            if key[0] == kind:
                tasks.setdefault(key, set()).add(step.identity)
    return kind == "task" or any(len(those) > 1 for those in tasks.values())


def blind_to(kind):
    def conflict_but_for(one, other):
        return conflict({key: changes for key, changes in one.items() if key[0] != kind}, other)

    return conflict_but_for


# What is tried at a point.


def test_nothing_else_is_tried_where_no_race_begins():
    report = explore(reduced_programs.three_with_locks_of_their_own, search="all")
    assert (report.in_all, report.redundant) == (1, 0)


def test_threads_that_share_a_lock_are_tried_in_each_order_of_its_holders():
    report = explore(reduced_programs.three_that_share_a_lock, search="all", seconds=40)
    assert report.in_all == 90  # 6! / (2! * 2! * 2!)
    assert report.redundant == 0  # sleep sets alone begin five times as many, and cut them


@pytest.mark.parametrize(
    ("program", "orders"),
    [
        (reduced_programs.two_that_look_before_they_put, 12),  # a task after whose step another one comes can't begin
        (reduced_programs.one_that_waits_for_a_lock_that_is_kept, 3),  # what waits at the end of a cut run races too
    ],
)
def test_no_order_is_left_out(program, orders):
    scenario = of_function(program)
    every = complete_runs(scenario, EverywhereAwake(), 1000)
    assert complete_runs(scenario, SleepSets(), 1000) == every and every[0] == orders


def test_what_still_waits_at_the_end_could_have_come_earlier():
    """In the plainest schedule main has the lock, and the daemon never does anything that could race."""
    assert set(explore(reduced_programs.one_that_never_gets_the_lock, search="all").outcomes) == {0, 1}


def test_a_wait_with_a_timeout_can_end_in_both_ways():
    assert set(explore(reduced_programs.one_that_waits_as_long, search="all").outcomes) == {"item", None}
