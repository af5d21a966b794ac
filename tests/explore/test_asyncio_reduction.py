"""A search of asyncio programs that leaves out what it has seen must not leave out any outcome.

The oracle is the search that leaves out nothing: on random programs both must find the same outcomes.

    pytest tests/explore/test_asyncio_reduction.py --thorough     1,000 programs; as a rule there are 20
"""

from itertools import count, islice

import pytest
from asyncio_programs import Program
from exhausted import outcomes

from concmodels.explore.eventloops.replaced import event_loops_replaced
from concmodels.explore.strategies.sleep_sets import SleepSets

PER_TEST = 20
PARTS = 50
MOST = 500
"""A program that has more schedules is too large to try them all."""


def pytest_generate_tests(metafunc):
    if "part" in metafunc.fixturenames:
        metafunc.parametrize("part", range(PARTS if metafunc.config.getoption("thorough") else 1))


def programs(part, folder, told):
    """Programs of which all schedules can be tried, each with all its outcomes."""
    for number in count(part * 1000):
        program = Program(number, folder)
        everything, runs = outcomes(program.scenario, SleepSets(reduce=False), runs=MOST)
        if everything is None:
            told["too large"] += 1
        else:
            told["full runs"] += runs
            yield program, everything


@pytest.mark.timeout(280)
def test_the_reduced_search_finds_every_outcome(part, tmp_path, record_property):
    told = {"too large": 0, "full runs": 0, "reduced runs": 0, "with several outcomes": 0}
    wrong = []
    with event_loops_replaced():
        for program, everything in islice(programs(part, tmp_path, told), PER_TEST):
            reduced, runs = outcomes(program.scenario, runs=MOST)
            told["reduced runs"] += runs
            told["with several outcomes"] += len(everything) > 1
            if reduced != everything:
                wrong.append(f"{program.text}\nmissed: {everything - (reduced or set())}")
    record_property("random programs", ("asyncio", told))
    assert not wrong, "\n\n".join(wrong)
    assert told["reduced runs"] < told["full runs"] and told["with several outcomes"]


def test_a_history_that_forgets_what_callbacks_share_is_found(tmp_path, monkeypatch):
    """Some program tells it from the right one: what tasks do between two awaits has an order."""
    monkeypatch.setattr(loop, "_touched_by", lambda handle: handle.identity)
    assert any(is_told_apart(Program(number, tmp_path)) for number in SHARING)


def test_a_history_that_forgets_futures_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(History, "touch", lambda *_: None)
    assert any(is_told_apart(Program(number, tmp_path)) for number in TOUCHING)


def is_told_apart(program):
    with event_loops_replaced():
        everything, _ = outcomes(program.scenario, SleepSets(reduce=False), runs=MOST)
        return everything is not None and outcomes(program.scenario, runs=MOST)[0] != everything
