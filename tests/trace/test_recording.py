"""What a trace contains, however its run ends; and that without one nothing is different."""

import asyncio
import errno
import io
import math
import os
import resource
import signal
import threading
from types import ModuleType

import pytest
import rules
from in_process import called

import concmodels.models.threads
from concmodels import catalog, load, trace
from concmodels.errors import Deadlock, TaskDied
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
    lane = rows.Lane(1, "lane", 16, iter(range(1, 10_000)).__next__)
    for number in range(200):
        lane.mark(1_000 + number, rows.SLEEP, number)
    kept = rows.rows_of(lane.rows)
    assert len(kept) < 16
    assert (kept[0][2], kept[1][3], kept[-1][3]) == (rows.START, 0, 199)


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
