"""The programs of which the site shows traces do what the pages say of them, and each is on a page.

What depends on time is looked at on the simulated model, in whose time nothing is late.
"""

import importlib.util
import re
import sys
from pathlib import Path

import interruptible
import pytest

from concmodels import catalog, load, trace
from concmodels.trace.analysis import Analysis
from concmodels.trace.reading import read
from concmodels.trace.stuck import stuck

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "traces"
TUTORIAL = ROOT / "examples" / "tutorial"
PAGES = [path for path in (ROOT / "docs").rglob("*.md") if "_ext" not in path.parts]
MS = 1_000_000


def recorded(folder, program, *arguments, prints=""):
    """The trace of a program, as a reader has it."""
    file = folder / "trace.json"
    done = interruptible.run([sys.executable, FOLDER / f"{program}.py", *arguments, file], timeout=50)
    assert (done.returncode, done.stdout.partition("\n")[0], done.stderr) == (0, prints, "")
    return read(str(file))


def simulated(folder, program, *arguments, model="sim", where=FOLDER):
    """The trace of its `main` on the simulated model, analysed."""
    if why := catalog.why_not(model):
        pytest.skip(why)
    module = module_of(where / f"{program}.py")
    model = load(model)
    with trace.to(folder / "trace.json"):
        model.run(module.main, model, *arguments)
    return Analysis(read(str(folder / "trace.json")))


def module_of(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lanes(analysis):
    return {lane.name: number for number, lane in analysis.trace.lanes.items()}


def test_all_wait_for_the_task_that_prices_and_mending_that_helps(tmp_path):
    one, three = simulated(tmp_path, "stall", 1), simulated(tmp_path, "stall", 3)
    slow = lanes(one)["price 1"]
    waited = {one.trace.name(it.waiter): it for it in one.blame if it.blamed == slow and it.did != "ended"}
    assert waited.keys() == {"read", "pack"}
    assert all(it.meanwhile["asleep"] > 0.95 * it.total for it in waited.values())
    assert one.held_up()[0].lane == slow
    assert one.path_by_task()[0][0] == "price 1 asleep" and one.path_by_task()[0][1] == pytest.approx(96 * MS, rel=0.01)
    assert three.wall_ns < 0.45 * one.wall_ns
    [orders, _] = one.flows()
    assert orders.capacity - 0.2 < orders.mean <= orders.most == orders.capacity


@pytest.mark.parametrize(
    ("capacity", "most", "age", "full"), [(0, 1, 4, 116), (8, 8, 38, 68), (float("inf"), 20, 58, 0)]
)
def test_a_larger_shelf_only_makes_the_loaves_older(tmp_path, capacity, most, age, full):
    analysis = simulated(tmp_path, "back_pressure", capacity)
    [shelf] = analysis.flows()
    assert (shelf.messages, shelf.most) == (30, most)
    assert shelf.mean_ns == pytest.approx(age * MS, rel=0.05)
    baker = analysis.spent[lanes(analysis)["baker"]].within(0, analysis.trace.end)
    assert baker["full"] == pytest.approx(full * MS, rel=0.05)
    assert analysis.wall_ns == pytest.approx(182 * MS, rel=0.01)


@pytest.mark.parametrize(("workers", "time", "most"), [(2, 17, 5), (3, 10, 3)])
def test_littles_law_holds_for_a_pool(tmp_path, workers, time, most):
    whole, queued = simulated(tmp_path, "pool", workers).flows()
    assert (whole.messages, queued.messages, whole.most) == (16, 16, most)
    assert whole.mean_ns == pytest.approx(time * MS, rel=0.01)
    assert whole.mean == pytest.approx(whole.per_second * whole.mean_ns / 1e9)
    assert queued.mean_ns + 10 * MS == pytest.approx(whole.mean_ns, rel=0.01)


@pytest.mark.parametrize(("program", "argument"), [("stall", "3"), ("back_pressure", "8"), ("pool", "2")])
def test_it_runs_on_threads_too(tmp_path, program, argument):
    its = recorded(tmp_path, program, argument)
    assert its.model == "threads" and its.ended is None and its.every == 1


@pytest.mark.parametrize(("model", "names"), [("asyncio", {"polite"}), ("trio", {"polite", "stubborn"})])
def test_only_trio_cancels_a_stubborn_task_again(tmp_path, model, names):
    if why := catalog.why_not(model):
        pytest.skip(why)
    its = recorded(tmp_path, "cancelled", model)
    assert {its.name(row.lane) for row in its.rows() if row.what == "error" and row.failed == "cancelled"} == names


@pytest.mark.parametrize(("program", "model"), [("ring", "greenlet"), ("ring_awaited", "asyncio")])
def test_a_token_goes_three_times_round(tmp_path, program, model):
    its = recorded(tmp_path, program, model)
    assert its.received == len(list(its.arrived())) == 15


def test_two_tasks_that_compute_report_each_of_their_parts(tmp_path):
    its = recorded(tmp_path, "computing", "threads")
    assert its.received == 10 and Analysis(its).cores > 0


def test_each_of_two_tasks_that_send_waits_for_the_other(tmp_path):
    its = recorded(tmp_path, "deadlock", prints="all tasks are waiting, and none can continue:")
    found = {its.name(it.lane): [its.name(other) for other in it.waits_for] for it in stuck(its)}
    assert found == {"main": ["ada-2", "ben-3"], "ada-2": ["ben-3"], "ben-3": ["ada-2"]}


def test_a_baker_that_can_be_stopped_waits_for_the_message(tmp_path, capsys):
    its = simulated(tmp_path, "told_to_stop", where=TUTORIAL)
    assert (its.trace.sent, its.trace.received) == (4, 2)
    baker = lanes(its)["bake-2"]
    [longest] = [it for it in its.waits() if it.row.lane == baker and it.length > 100 * MS]
    assert (its.trace.name(longest.cause.lane), longest.cause.did) == ("main", "sent")
    assert "on the shelf when the baker stopped: 2" in capsys.readouterr().out


def test_a_silent_client_occupies_the_only_task(tmp_path, capsys):
    its = simulated(tmp_path, "slow_client", model="greenlet", where=TUTORIAL).trace
    waited = {
        its.name(row.lane): row.end - row.begin for row in its.rows() if row.what == "socket" and row.end > row.begin
    }
    assert {"main", "one_by_one-2", "echo-4"} <= waited.keys()
    assert (its.channels, its.sent) == ({}, 0)  # those of concmodels.net are no business of the reader's
    assert [row.failed for row in its.rows() if row.failed == "timeout"] == ["timeout"]
    assert "a_task_each: hello" in capsys.readouterr().out


def test_a_program_can_be_recorded_that_does_not_do_that_itself(tmp_path, capsys):
    file = tmp_path / "trace.json"
    module_of(ROOT / "docs" / "_ext" / "recorded.py").main(str(file), str(TUTORIAL / "waiting_for_two.py"))
    assert read(str(file)).received == 4
    assert capsys.readouterr().out.startswith("wash")


def test_each_program_is_on_a_page():
    shown = {name for path in PAGES for name in re.findall(r"examples/traces/(\w+)\.py", path.read_text())}
    assert shown == {path.stem for path in FOLDER.glob("*.py")}
