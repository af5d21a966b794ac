"""A search of asyncio programs that leaves out what it has seen must not leave out any outcome.

The oracle is the search that leaves out nothing: on random programs both must find the same outcomes. A witness is the
real event loop: what a program comes to there must be among them.

    pytest tests/explore/test_asyncio_reduction.py --thorough     800 programs; as a rule 8, and 2 in any order
"""

from itertools import count, islice

import pytest
from asyncio_programs import Program
from exhausted import outcomes
from real_asyncio import real_outcome

from concmodels.explore.eventloops import loop
from concmodels.explore.eventloops.history import History
from concmodels.explore.eventloops.replaced import event_loops_replaced
from concmodels.explore.scenarios import of_file
from concmodels.explore.strategies.sleep_sets import SleepSets

PER_TEST = 8
PARTS = 100
MOST, FEWER = 500, 150
"""A program that has more schedules is too large to try them all; without `--thorough`, one with more than FEWER."""


def pytest_generate_tests(metafunc):
    if "part" in metafunc.fixturenames:
        metafunc.parametrize("part", range(PARTS if metafunc.config.getoption("thorough") else 1))


@pytest.fixture(autouse=True)
def _event_loops():
    with event_loops_replaced():
        yield


def in_any_order(world):
    world.keeps_order = False


ORDERS = {"kept": None, "any": in_any_order}


def programs(part, folder, most, told, prepare):
    """Programs of which all schedules can be tried, each with all its outcomes."""
    for number in count(part * 1000):
        program = Program(number, folder)
        everything, runs = outcomes(program.scenario, SleepSets(reduce=False), runs=most, prepare=prepare)
        if everything is None:
            told["too large"] += 1
        else:
            told["full runs"] += runs
            yield program, everything


@pytest.mark.timeout(280)
@pytest.mark.parametrize("order", ORDERS)
def test_the_reduced_search_finds_every_outcome(order, part, tmp_path, record_property, thorough):
    told = dict.fromkeys(("too large", "full runs", "reduced runs", "with several outcomes", "seen for real"), 0)
    wrong, prepare, most = [], ORDERS[order], MOST if thorough else FEWER
    number = PER_TEST if order == "kept" else 5 if thorough else 2
    for program, everything in islice(programs(part, tmp_path, most, told, prepare), number):
        reduced, runs = outcomes(program.scenario, runs=most, prepare=prepare)
        told["reduced runs"] += runs
        told["with several outcomes"] += len(everything) > 1
        if order == "kept" and "time()" not in program.text and "monotonic" not in program.text:
            real = real_outcome(program.path)
            told["seen for real"] += real is not None
            if real is not None and real not in {
                error if error == "Deadlock" else value for value, error, _ in everything
            }:
                wrong.append(
                    f"{program.text}\nhas come to {real} on a real event loop, and is explored as {everything}"
                )
        if reduced != everything:
            wrong.append(f"{program.text}\nmissed: {everything - (reduced or set())}")
    record_property("random programs", (f"asyncio, order {order}", told))
    assert not wrong, "\n\n".join(wrong)
    assert told["reduced runs"] <= told["full runs"]
    assert order == "any" or part or told["with several outcomes"]


LATER = """
    await asyncio.sleep(1)
    pause = asyncio.create_task(asyncio.sleep(0.01))
    for _ in range(3):
        await asyncio.sleep(0)
    await pause
    return tuple(log)
"""
"""The search comes to states that it may have seen."""
JOBS = """
import asyncio

async def main():
    log = []
    async def work(it):
        await asyncio.to_thread(int)
        log.append(it)
    tasks = [asyncio.create_task(work(it)) for it in "abc"]
"""
CLOCK = """
import asyncio

async def main():
    log = []
    async def look():
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        log.append(asyncio.get_running_loop().time())
    tasks = [asyncio.create_task(it) for it in (look(), asyncio.sleep(0.01))]
"""
DRAWN = """
import asyncio

async def main():
    log = []
    async def note(it):
        log.append(it)
    tasks = [it async for it in asyncio.as_completed([note(it) for it in "abc"])]
"""


@pytest.mark.parametrize(
    ("text", "several", "owner", "name", "wrong"),
    [
        (JOBS, 6, loop, "_touched_by", lambda handle: handle.identity),
        (CLOCK, 2, History, "read_clock", lambda *_: None),
        (DRAWN, 6, History, "draw", lambda *_: None),
    ],
)
def test_a_history_that_forgets_something_is_found(text, several, owner, name, wrong, tmp_path, monkeypatch):
    """What tasks do between two awaits has an order, and what they do may depend on the time."""
    path = tmp_path / "program.py"
    path.write_text(text + LATER)
    everything, _ = outcomes(of_file(str(path)))
    assert len(everything) == several
    monkeypatch.setattr(owner, name, wrong)
    assert outcomes(of_file(str(path)))[0] != everything
