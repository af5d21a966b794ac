"""What a trace contains, however its run ends; and that without one nothing is different."""

import asyncio
import contextlib
import errno
import io
import math
import os
import resource
import signal
import sys
import threading
from types import ModuleType

import pytest
import rules
from in_process import called

import concmodels.models.threads
from concmodels import catalog, load, trace
from concmodels.errors import Deadlock, ModelUnavailable, TaskDied, WouldBlock
from concmodels.trace import chrome, collecting, rows
from concmodels.trace.recorder import Recorder, lane_path
from concmodels.trace.rows import LostLane


def recorded(path):
    content = rules.read(path)
    assert not rules.broken(content)
    return content


def lanes(content):
    return {lane["name"]: lane for lane in content["otherData"]["lanes"].values()}


def rows_of(content, name):
    """What was done in the lane of this name, in the order of time."""
    number = next(int(key) for key, lane in content["otherData"]["lanes"].items() if lane["name"] == name)
    found = [it["args"] for it in content["traceEvents"] if it["tid"] == number and "what" in it.get("args", ())]
    return [args for args in found if args["what"] != "wait"]


# Off.


def verbs(model):
    return {name: getattr(model, name) for name in ("Channel", "Pool", "TaskGroup", "run", "select", "sleep")}


@pytest.mark.parametrize("name", ["threads", "asyncio", "processes", "anyio:trio"])
def test_before_and_after_a_model_is_what_it_was(tmp_path, name):
    model = load(name)
    before = verbs(model)
    with trace.to(tmp_path / "trace.json"):
        assert load(name) is model or catalog.facts(name).variant
        during = verbs(model)
    assert not before.items() & during.items()
    assert verbs(model) == before == verbs(load(name))


def test_without_a_trace_a_model_is_its_module(tmp_path):
    with trace.to(tmp_path / "trace.json"):
        assert type(concmodels.models.threads) is not ModuleType
    assert load("threads") is concmodels.models.threads
    assert type(concmodels.models.threads) is ModuleType
    assert load("threads").Channel is vars(concmodels.models.threads)["Channel"]


def test_a_trace_inside_a_trace_takes_over(tmp_path):
    model = load("greenlet")
    with trace.to(tmp_path / "outer.json"):
        with trace.to(tmp_path / "inner.json"):
            model.run(model.sleep, 0)
        model.run(bool)
    assert rules.operations(recorded(tmp_path / "inner.json"))["sleep"] == 1
    assert rules.operations(recorded(tmp_path / "outer.json")) == {"start": 1, "end": 1}


def test_one_trace_after_the_other_in_one_thread(tmp_path):
    """Outside of a run, too: there is a lane for the thread, which the next trace must not take for its own."""
    model = load("threads")
    for name in ("first", "second"):
        with trace.to(tmp_path / f"{name}.json"):
            channel = model.Channel(1)
            channel.send(1)
            channel.receive()
    for name in ("first", "second"):
        content = recorded(tmp_path / f"{name}.json")
        assert rules.arrows(content) == 1 and not rules.unmatched(content)


def test_a_trace_that_begins_and_ends_inside_of_a_run(tmp_path):
    model = load("threads")

    def main():
        older = model.Channel(1, "older")
        older.send(1)
        with trace.to(tmp_path / "inner.json"):
            newer = model.Channel(1, "newer")
            newer.send(2)
            found = [model.select(older), model.select(newer), model.select((older, 3), (newer, 4), priority=True)]
            assert [it.item for it in found] == [1, 2, 3] and [it.channel for it in found] == [older, newer, older]
        assert older.receive() == 3

    model.run(main)
    with trace.to(tmp_path / "outer.json"):
        model.run(main)
    content = recorded(tmp_path / "inner.json")
    assert rules.arrows(content) == 1 and not rules.unmatched(content)
    content = recorded(tmp_path / "outer.json")
    assert [it["name"] for it in content["otherData"]["channels"].values()] == ["older"]
    assert not rules.unmatched(content)


def test_another_thread_may_not_record(tmp_path):
    refused = []

    def record():
        try:
            trace.to(tmp_path / "other.json").__enter__()
        except RuntimeError as error:
            refused.append(str(error))

    with trace.to(tmp_path / "trace.json"):
        thread = threading.Thread(target=record)
        thread.start()
        thread.join()
    assert len(refused) == 1 and refused[0].startswith("another thread records a trace already")
    assert not (tmp_path / "other.json").exists()
    assert type(concmodels.models.threads) is ModuleType


def test_a_trace_inside_of_a_trace_leaves_alone_what_gives_models_instead(tmp_path):
    given = load("greenlet")
    before = catalog.give_instead(lambda entry: given if entry.model == "threads" else None)
    try:
        with trace.to(tmp_path / "outer.json"):
            with trace.to(tmp_path / "inner.json"):
                assert load("threads") is given
            assert load("threads") is given
    finally:
        catalog.give_instead(before)


def test_a_fork_that_leaves_the_block_leaves_the_file_to_its_parent(tmp_path):
    model = load("greenlet")
    with trace.to(tmp_path / "trace.json") as recorder:
        model.run(model.sleep, 0)
        recorder.pid += 1  # now this is another process than that in which it began
    assert (tmp_path / "trace.json").read_bytes() == b""


def test_dask_is_refused(tmp_path):
    if why := catalog.why_not("dask"):
        pytest.skip(why)
    model = load("dask")
    with trace.to(tmp_path / "trace.json"):
        for ask in (lambda: load("dask").Channel, lambda: model.Channel, lambda: model.run):
            with pytest.raises(ModelUnavailable, match=r"^dask can't be traced: its tasks may run on other machines$"):
                ask()


@pytest.mark.parametrize(("code", "ended"), [(0, None), (None, None), (3, "SystemExit: 3")])
def test_a_program_that_exits(tmp_path, code, ended):
    model = load("greenlet")
    with pytest.raises(SystemExit), trace.to(tmp_path / "trace.json"):
        model.run(model.sleep, 0)
        sys.exit(code)
    assert recorded(tmp_path / "trace.json")["otherData"]["ended"] == ended


def test_a_simulated_model_has_a_trace_of_its_own(tmp_path):
    sim, threads = load("sim"), load("threads")
    for first, second in ((sim, threads), (threads, sim)):
        with trace.to(tmp_path / "trace.json"):
            first.run(first.sleep, 0)
            with pytest.raises(RuntimeError, match="needs a trace of its own"):
                second.run(second.sleep, 0)


def test_the_time_of_sim_goes_on_in_the_next_run(tmp_path):
    model = load("sim")
    with trace.to(tmp_path / "trace.json"):
        for seconds in (2, 1):
            model.run(model.sleep, seconds)
    events = recorded(tmp_path / "trace.json")["traceEvents"]
    slept = [it["dur"] / 1e6 for it in events if it["name"] == "sleep"]
    assert slept == [pytest.approx(2, rel=1e-4), pytest.approx(1, rel=1e-4)]


# What is recorded.


def busy(model):
    """Do one of each."""
    full, rest = model.Channel(1, "full"), model.Channel(math.inf, "rest")
    full.send(1)
    with pytest.raises(TimeoutError):
        full.send(2, timeout=0.001)
    rest.send_nowait(3)
    assert (full.receive_nowait(), rest.receive(), len(rest)) == (1, 3, 0)
    done = model.select(full, (rest, (4, 5, 6)))
    assert (done.channel is rest, done.channel == full, done.item, done.sent) == (True, False, (4, 5, 6), True)
    assert rest.receive() == (4, 5, 6)
    with pytest.raises(TimeoutError):
        model.select(full, rest, timeout=0)
    model.sleep(0)
    with model.TaskGroup() as group:
        task = group.spawn(rest.receive, name="stuck")
        group.spawn(rest.close, name="closer").result()
        with pytest.raises(BaseException):  # noqa: B017 - it is closed, or a cancellation
            task.result()


@pytest.mark.parametrize("name", ["threads", "greenlet"])
def test_all_that_a_task_does(tmp_path, name):
    model = load(name)
    with pytest.raises(ExceptionGroup), trace.to(tmp_path / "trace.json"):
        model.run(busy, model)
    content = recorded(tmp_path / "trace.json")
    done = [(it["what"], it["failed"]) for it in rows_of(content, "main")]
    assert done[:9] == [
        ("start", None), ("send", None), ("send", "timeout"), ("send", None), ("receive", None), ("receive", None),
        ("send", None), ("receive", None), ("select", "timeout"),
    ]  # fmt: skip
    assert {("sleep", None), ("spawn", None), ("join", None)} <= {*done}
    assert ("receive", "closed") in [(it["what"], it["failed"]) for it in rows_of(content, "stuck")]
    assert "error" in [it["what"] for it in rows_of(content, "stuck")]
    channels = {channel["name"]: channel for channel in content["otherData"]["channels"].values()}
    assert channels["full"] == {"name": "full", "capacity": 1, "sent": 1, "received": 1}
    assert channels["rest"] == {"name": "rest", "capacity": None, "sent": 2, "received": 2}
    assert not rules.unmatched(content)
    numbers = [it["number"] for it in rows_of(content, "main") if it["what"] == "send" and not it["failed"]]
    assert numbers == [0, 0, 1]  # in each channel from 0


def test_a_thread_of_the_program_has_a_lane(tmp_path):
    model = load("threads")

    def main():
        channel = model.Channel(1)
        thread = threading.Thread(target=channel.send, args=(1,), name="own")
        thread.start()
        channel.receive()
        thread.join()

    with trace.to(tmp_path / "trace.json"):
        model.run(main)
    content = recorded(tmp_path / "trace.json")
    assert rules.arrows(content) == 1
    assert lanes(content)["thread own"]["ended"]


def pour(channel, count):
    for number in range(count):
        channel.send(number)
    channel.close()


def pass_on(inbox, outbox):
    for item in inbox:
        outbox.send(item)
    outbox.close()


@pytest.mark.parametrize("name", ["greenlet", "threads", "processes"])
def test_a_long_run_is_thinned_out(tmp_path, name):
    model = load(name)

    def main():
        first, last = model.Channel(50, "first"), model.Channel(50, "last")
        with model.TaskGroup() as group:
            group.spawn(pour, first, 3_000)
            group.spawn(pass_on, first, last)
            assert [*last] == [*range(3_000)]

    with trace.to(tmp_path / "trace.json", rows=2_000):
        model.run(main)
    content = recorded(tmp_path / "trace.json")
    every = content["otherData"]["every"]
    kept = -(-3_000 // every)
    assert every >= 8
    assert rules.arrows(content) == rules.operations(content)["send"] == 2 * kept
    assert [(it["sent"], it["received"]) for it in content["otherData"]["channels"].values()] == [(3_000, 3_000)] * 2
    sent = [it["number"] for it in rows_of(content, "main") if it["what"] == "receive" and not it["failed"]]
    assert sent == [*range(0, 3_000, every)]


def test_of_what_are_no_messages_the_first_and_the_last_are_kept():
    lane = rows.Lane(1, "lane", 32, iter(range(1, 10_000)).__next__)
    for number in range(200):
        lane.mark(1_000 + number, rows.SLEEP, number)
    kept = rows.rows_of(lane.rows)
    assert len(kept) < 32 and lane.has_gap
    assert (kept[0][2], kept[1][3], kept[-1][3]) == (rows.START, 0, 199)


def test_very_many_channels_with_one_message_each():
    lane = rows.Lane(1, "lane", 32, iter(range(1, 10_000)).__next__)
    for channel in range(1, 200):
        lane.row(channel, channel + 1, rows.SEND | channel << 16, 0)
    assert len(lane.rows) < 4 * 32 and lane.has_gap and lane.mask == 0


@pytest.mark.parametrize("name", ["threads", "processes"])
def test_what_is_done_between_messages_does_not_take_their_place(tmp_path, name):
    model = load(name)

    def main():
        channel = model.Channel(4, "numbers")
        with model.TaskGroup() as group:
            group.spawn(send_and_sleep, model, channel, name="sleepy")
            for number in range(300):
                for _ in range(3):
                    with contextlib.suppress(WouldBlock, TimeoutError):
                        model.select(model.Channel(1), timeout=0)
                assert channel.receive() == number

    with trace.to(tmp_path / "trace.json", rows=1_600):
        model.run(main)
    content = recorded(tmp_path / "trace.json")
    every = content["otherData"]["every"]
    done = rules.operations(content)
    assert 2 <= every <= 16
    assert done["send"] == done["receive"] == rules.arrows(content) == -(-300 // every)
    assert [it.partition(" did too much")[0] for it in content["otherData"]["notes"]] == ["main", "sleepy"]


def send_and_sleep(model, channel):
    for number in range(300):
        channel.send(number)
        for _ in range(4):
            model.sleep(0)


@pytest.mark.parametrize("name", ["threads", "processes"])
def test_channels_without_a_name_are_told_apart(tmp_path, name):
    model = load(name)

    def main():
        for _ in range(2):
            channel = model.Channel(1)
            channel.send(1)
            channel.receive()

    with trace.to(tmp_path / "trace.json"):
        model.run(main)
    names = [it["name"] for it in recorded(tmp_path / "trace.json")["otherData"]["channels"].values()]
    assert names == ["channel 1", "channel 2"]


def test_a_list_of_channels_that_the_disk_has_cut(tmp_path):
    recorder = Recorder(folder=str(tmp_path))
    (tmp_path / "channels").write_text("1048577 1 1 inf whole\n1048578 1 2 in")
    recording = collecting.collect(recorder)
    assert [it.name for it in recording.channels.values()] == ["whole"]


def test_ctrl_c_while_the_file_is_written(tmp_path):
    class Interrupted(Full):
        def write(self, data):
            if self.tell() == 0:
                super().write(data)
                raise KeyboardInterrupt
            return super().write(data)

    with Interrupted(tmp_path / "trace.json", "w+b") as file, pytest.raises(KeyboardInterrupt):
        chrome.write(file, a_recording())
    assert rules.read(tmp_path / "trace.json")["otherData"]["cut"] is True


# How a run ends.


def test_ctrl_c(tmp_path):
    model = load("threads")

    def main():
        with model.TaskGroup() as group:
            group.spawn(os.kill, os.getpid(), signal.SIGINT)
            model.Channel(0, "nothing").receive()

    with pytest.raises(KeyboardInterrupt), trace.to(tmp_path / "trace.json"):
        model.run(main, deadlock_after=None)
    content = recorded(tmp_path / "trace.json")
    assert content["otherData"]["ended"] == "KeyboardInterrupt"
    assert ("receive", "error") in [(it["what"], it["failed"]) for it in rows_of(content, "main")] or (
        "receive", "cancelled",
    ) in [(it["what"], it["failed"]) for it in rows_of(content, "main")]  # fmt: skip


def test_a_deadlock(tmp_path):
    model = load("greenlet")

    def main():
        with model.TaskGroup() as group:
            group.spawn(model.Channel(0, "nothing").receive, name="ada")

    with pytest.raises(Deadlock), trace.to(tmp_path / "trace.json"):
        model.run(main)
    content = recorded(tmp_path / "trace.json")
    assert content["otherData"]["ended"].startswith("Deadlock: ")
    assert ("receive", "cancelled") in [(it["what"], it["failed"]) for it in rows_of(content, "ada")]


def die_at_seven(inbox, outbox):
    for item in inbox:
        if item == 7:
            os.kill(os.getpid(), signal.SIGKILL)
        outbox.send(item)


@pytest.mark.parametrize("name", ["processes"])
def test_a_child_that_is_killed(tmp_path, name):
    model = load(name)

    def main():
        numbers, last = model.Channel(2, "numbers"), model.Channel(math.inf, "last")
        with model.TaskGroup() as group:
            group.spawn(pour, numbers, 12, name="source")
            group.spawn(die_at_seven, numbers, last, name="victim")
            return [*last]

    with pytest.RaisesGroup(TaskDied), trace.to(tmp_path / "trace.json"):
        model.run(main)
    content = recorded(tmp_path / "trace.json")
    about, done = content["otherData"], rows_of(content, "victim")
    assert about["ended"].startswith("TaskDied: ")
    assert not lanes(content)["victim"]["ended"]
    assert "victim" in about["notes"][0]
    assert [it["number"] for it in done if it["what"] == "receive"] == [*range(8)]  # the last one, too
    assert done[-1]["what"] == "killed"


# A full disk.


class Full(io.FileIO):
    """A file on a disk that has no space behind so many bytes."""

    space = 3_000

    def write(self, data):
        rest = self.space - self.tell()
        if rest <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(data[:rest])


def a_recording():
    recorder = Recorder()
    for number in range(1, 4):
        lane = recorder.open(recorder.reserve(), f"task {number}")
        for _ in range(10):
            lane.mark(recorder.clock(), rows.SLEEP)
        lane.over(recorder.clock())
    return collecting.collect(recorder, "threads")


@pytest.mark.parametrize("space", [1, 250, 500, 1_800, 1_801, 1_802, 1_803, 3_000])
def test_a_full_disk_leaves_a_file_that_can_be_read(tmp_path, space):
    with Full(tmp_path / "trace.json", "w+b") as file:
        file.space = space
        with pytest.raises(OSError, match="No space"):
            chrome.write(file, a_recording())
    if space < 300:  # not even what is known of the run as a whole
        assert (tmp_path / "trace.json").read_bytes() == b""
        return
    content = rules.read(tmp_path / "trace.json")
    assert content["otherData"]["cut"] is True
    assert len(content["traceEvents"]) < 40


def test_a_program_says_that_the_disk_is_full(tmp_path):
    path, limits = tmp_path / "trace.json", resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, limits[1]))
    try:
        status, _, err = called(5, 20, "--model", "greenlet", "--quiet", "--trace", path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, old)
    assert status == 2
    assert err.startswith(f"concmodels.ring: can't write all of {str(path)!r}: ")
    assert err.count("\n") == 1
    assert rules.read(path)["otherData"]["cut"] is True


def test_a_lane_without_space(tmp_path, monkeypatch):
    def full(_fd, _size):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(rows, "_fill", full)
    home, child = Recorder(), Recorder(folder=str(tmp_path), is_home=False)
    home.folder = str(tmp_path)
    main = home.open(home.reserve(), "main")
    number = home.reserve()
    main.mark(home.clock(), rows.SPAWN, number)
    lane = child.open(number, "lost")
    assert isinstance(lane, LostLane)
    lane.row(1, 2, rows.SLEEP)
    lane.over(3)
    assert not lane.rows
    assert os.path.exists(lane_path(str(tmp_path), number))
    recording = collecting.collect(home)
    assert [it.name for it in recording.lanes] == ["main"]
    assert recording.notes == ["1 task has no lane: it was never started, or there was no space left on the disk"]


def test_what_can_not_be_traced(tmp_path):
    with pytest.raises(IsADirectoryError):
        trace.to(tmp_path).__enter__()
    assert type(concmodels.models.threads) is ModuleType


def test_tasks_of_asyncio_itself_share_the_lane(tmp_path):
    model = load("asyncio")

    async def main():
        first, second = model.Channel(1), model.Channel(1)
        both = asyncio.gather(first.receive(), second.receive())
        await asyncio.sleep(0)
        await second.send(2)
        await asyncio.sleep(0)
        await first.send(1)
        assert await both == [1, 2]

    with trace.to(tmp_path / "trace.json"):
        model.run(main)
    content = recorded(tmp_path / "trace.json")  # by the rules: no slice overlaps another
    assert rules.operations(content)["receive"] == 2
