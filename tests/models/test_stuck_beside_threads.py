"""A run of threads that only something outside of it could wake says so once; it is no deadlock, and the run waits on.

In a notebook such threads are always there. Warnings are errors in this suite, so a run that returns has warned of
nothing.
"""

import signal
import subprocess
import sys
import threading
import time
from functools import partial

import pytest
from commands import until
from stuck import PATH, be_alone

from concmodels import load
from concmodels.models.deadlocks import threads as detecting

NAMES = ("threads", "rawthreads", "rawthreads:polling")
STUCK_S = 0.3

pytestmark = [
    pytest.mark.parametrize("name", NAMES),
    pytest.mark.timeout(0),  # it would be a foreign thread
    pytest.mark.usefixtures("soon_stuck"),
]


@pytest.fixture
def soon_stuck(monkeypatch):
    """A run need not be stuck for seconds; nothing of an earlier test is left."""
    monkeypatch.setattr(detecting, "STUCK_S", STUCK_S)
    be_alone()


class Helper(threading.Thread):
    """A foreign thread: it waits, for so many seconds or as this function does, and sends to each of these channels."""

    def __init__(self, pause, *channels):
        super().__init__()
        self._pause, self._channels = pause, channels

    def run(self):
        self._pause() if callable(self._pause) else time.sleep(self._pause)
        for channel in self._channels:
            channel.send_nowait("help")


def two_that_wait(model, pause):
    left, right = model.Channel(1, "left"), model.Channel(1, "right")
    helper = Helper(pause, left, right)
    with model.TaskGroup() as group:
        tasks = [group.spawn(channel.receive, name=f"of {channel.name}") for channel in (left, right)]
        helper.start()
    helper.join()
    return [task.result() for task in tasks]


def one_that_sleeps(model, pause):
    with model.TaskGroup() as group:
        sleeper = group.spawn(model.sleep, 3600)
        results = two_that_wait(model, pause)
        sleeper.cancel()
    return results


def receiving_with_a_timeout(model, pause):
    channel = model.Channel(1)
    helper = Helper(pause, channel)
    helper.start()
    with model.TaskGroup() as group:
        received = group.spawn(channel.receive, 30).result()
    helper.join()
    return [received, received]


def test_it_is_told_once_which_task_waits_for_what_and_where(name):
    model = load(name)
    with pytest.warns(RuntimeWarning) as warned:
        told = partial(until, lambda: len(warned) or None)
        assert model.run(two_that_wait, model, told, deadlock_after=0.05) == ["help", "help"]
    (warning,) = warned
    head, *lines = str(warning.message).splitlines()
    assert head.startswith(
        f"nothing has moved for {STUCK_S} s in this run of 3 tasks, and only a thread that the run did"
    )
    assert "interrupt it" in head
    assert [line.split(" at ")[0].strip() for line in lines] == [
        "main: waits for the end of its group",
        "of left: receive on channel 'left'",
        "of right: receive on channel 'right'",
    ]
    assert "test_stuck_beside_threads.py:" in lines[0]
    assert warning.filename == __file__


@pytest.mark.parametrize("program", [one_that_sleeps, receiving_with_a_timeout])
def test_nothing_is_told_while_a_task_can_go_on_by_itself(name, program):
    model = load(name)
    assert model.run(program, model, 3 * STUCK_S, deadlock_after=0.05) == ["help", "help"]


def test_nothing_is_told_of_a_short_wait(name, monkeypatch):
    monkeypatch.setattr(detecting, "STUCK_S", 3600)
    model = load(name)
    assert model.run(two_that_wait, model, STUCK_S / 2, deadlock_after=0.05) == ["help", "help"]


def test_nothing_is_told_if_nobody_looks_for_deadlocks(name):
    model = load(name)
    assert model.run(two_that_wait, model, 3 * STUCK_S, deadlock_after=None) == ["help", "help"]


def test_patience_for_deadlocks_is_patience_for_this_too(name):
    model = load(name)
    assert model.run(two_that_wait, model, 3 * STUCK_S, deadlock_after=3600) == ["help", "help"]


def test_where_warnings_are_errors_it_ends_the_run(name):
    model, done = load(name), threading.Event()
    foreign = threading.Thread(target=done.wait)
    foreign.start()
    try:
        with pytest.raises(RuntimeWarning, match="nothing has moved"):
            model.run(lambda: model.Channel(0, "nobody").receive(), deadlock_after=0.05)
    finally:
        done.set()
        foreign.join()
    assert model.run(lambda: "and again") == "and again"


def test_a_signal_handler_may_be_the_one(name):
    model = load(name)
    channel = model.Channel(1)

    def handler(*_):
        if warned:  # not before: the time of the warning is the detector's
            signal.setitimer(signal.ITIMER_REAL, 0)
            channel.send_nowait("help")

    old = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.warns(RuntimeWarning, match="only a signal handler could still wake one") as warned:
            signal.setitimer(signal.ITIMER_REAL, STUCK_S, STUCK_S)
            assert model.run(channel.receive, deadlock_after=0.05) == "help"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_a_stuck_run_says_so_and_can_be_interrupted(name):
    program = f"""
import threading
from concmodels import load
from concmodels.models.deadlocks import threads as detecting
detecting.STUCK_S = {STUCK_S}
threading.Thread(target=threading.Event().wait, daemon=True).start()
model = load({name!r})
model.run(lambda: model.Channel(0, "nobody sends").receive(), deadlock_after=0.05)
"""
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=PATH.parents[2]) as process:
        said = ""
        while "nobody sends" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
        process.send_signal(signal.SIGINT)
        said += process.stderr.read()
    assert "KeyboardInterrupt" in said
    assert "Deadlock" not in said
    assert said.count("nothing has moved") == 1
