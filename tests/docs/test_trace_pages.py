"""The programs of which the site shows traces do what the pages say of them, and each is on a page."""

import re
import sys
from pathlib import Path

import interruptible
import pytest

from concmodels import catalog
from concmodels.trace.analysis import Analysis
from concmodels.trace.reading import read
from concmodels.trace.stuck import stuck

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "traces"
PAGES = [path for path in (ROOT / "docs").rglob("*.md") if "_ext" not in path.parts]


def recorded(folder, program, *arguments, prints=""):
    """The trace of a program, analysed."""
    file = folder / "trace.json"
    done = interruptible.run([sys.executable, FOLDER / f"{program}.py", *arguments, file], timeout=50)
    assert (done.returncode, done.stdout.partition("\n")[0], done.stderr) == (0, prints, "")
    return Analysis(read(str(file)))


def number_of(analysis, name):
    return next(number for number, lane in analysis.trace.lanes.items() if lane.name == name)


def test_all_wait_for_the_task_that_prices_and_mending_that_helps(tmp_path):
    one, three = recorded(tmp_path, "stall", "1"), recorded(tmp_path, "stall", "3")
    slow = number_of(one, "price 1")
    assert {one.trace.name(it.waiter) for it in one.blame if it.blamed == slow} == {"main", "read", "pack"}
    worst = one.held_up()[0]
    assert worst.lane == slow and worst.doing["asleep"] > worst.doing["running"]
    assert one.path_by_task()[0][0] == "price 1 asleep"
    assert one.trace.received == three.trace.received == 24
    assert len({name for name, _ in three.path_by_task() if "price" in name}) >= 1 and len(three.trace.lanes) == 6


@pytest.mark.parametrize(("capacity", "most"), [("0", 1), ("8", 8), ("inf", 30)])
def test_a_larger_shelf_only_makes_the_loaves_older(tmp_path, capacity, most):
    analysis = recorded(tmp_path, "back_pressure", capacity)
    [flow] = analysis.flows()
    assert flow.messages == 30 and flow.most <= most
    full = analysis.spent[number_of(analysis, "baker")].within(0, analysis.trace.end)["full"]
    assert bool(full) == (capacity != "inf")


@pytest.mark.parametrize(("model", "is_cancelled"), [("asyncio", False), ("trio", True)])
def test_only_trio_cancels_a_stubborn_task_again(tmp_path, model, is_cancelled):
    if why := catalog.why_not(model):
        pytest.skip(why)
    trace = recorded(tmp_path, "cancelled", model).trace
    cancelled = {trace.name(row.lane) for row in trace.rows() if row.what == "error" and row.failed == "cancelled"}
    assert cancelled == ({"polite", "stubborn"} if is_cancelled else {"polite"})


@pytest.mark.parametrize("workers", [2, 3])
def test_littles_law_holds_for_a_pool(tmp_path, workers):
    analysis = recorded(tmp_path, "pool", str(workers))
    whole, queued = analysis.flows()
    assert whole.messages == queued.messages == 16
    assert whole.mean == pytest.approx(whole.per_second * whole.mean_ns / 1e9)
    assert sum(any(row.what == "work" for row in lane.rows) for lane in analysis.trace.lanes.values()) == workers


@pytest.mark.parametrize(("program", "model"), [("ring", "greenlet"), ("ring_awaited", "asyncio")])
def test_a_token_goes_three_times_round(tmp_path, program, model):
    analysis = recorded(tmp_path, program, model)
    assert analysis.trace.received == len(list(analysis.trace.arrived())) == 15


def test_two_tasks_that_compute_report_each_of_their_parts(tmp_path):
    analysis = recorded(tmp_path, "computing", "threads")
    assert analysis.trace.received == 10 and 0 < analysis.cores <= (analysis.trace.cpus or 1) + 0.1


def test_each_of_two_tasks_that_send_waits_for_the_other(tmp_path):
    trace = recorded(tmp_path, "deadlock", prints="all tasks are waiting, and none can continue:").trace
    found = {trace.name(it.lane): [trace.name(other) for other in it.waits_for] for it in stuck(trace)}
    assert {name.partition("-")[0]: [other.partition("-")[0] for other in its] for name, its in found.items()} == {
        "main": ["ada", "ben"], "ada": ["ben"], "ben": ["ada"],
    }  # fmt: skip


def test_each_program_is_on_a_page():
    shown = {name for path in PAGES for name in re.findall(r"examples/traces/(\w+)\.py", path.read_text())}
    assert shown == {path.stem for path in FOLDER.glob("*.py")}
