"""A run across a memory boundary that stands still says who waits where, once for each stall."""

import os
import signal
import sys
import threading
import time

import pytest
import waiting_tasks
from waiting_tasks import receive

from concmodels import load
from concmodels.models.memory.arena import ALERT, ANSWERED, ASKED, WAITING
from concmodels.models.memory.lives import supervisor

BOTH = [load("processes"), load("subinterp")]
pytestmark = [pytest.mark.timeout(0), pytest.mark.parametrize("model", BOTH, ids=["processes", "subinterp"])]


class Told:
    """Stands in for stderr: keeps what is written, and sets a flag when a line has ended."""

    def __init__(self):
        self.texts = []
        self.came = threading.Event()

    def write(self, text):
        self.texts.append(text)
        if text.endswith("\n"):
            self.came.set()

    def flush(self):
        """Do nothing."""


@pytest.fixture
def told():
    return Told()


def place(text, path):
    with open(path) as file:
        return next(f"{os.path.relpath(path)}:{number}" for number, line in enumerate(file, 1) if text in line)


def send_when_told(channels, told):
    """Let each stall be told, and end it."""
    for channel in channels:
        told.came.wait()
        told.came.clear()
        channel.send("at last")


def stand_still(model, told):
    channels = [model.Channel(0, "one"), model.Channel(0, "two")]
    helper = threading.Thread(target=send_when_told, args=(channels, told))
    helper.start()
    with model.TaskGroup() as group:
        tasks = [group.spawn(receive_both, *channels, name="receiver")]
    helper.join()
    return tasks[0].result()


def receive_both(one, two):
    return [one.receive(), two.receive()]


def test_each_stall_is_told_once(model, told, monkeypatch):
    monkeypatch.setattr(sys, "stderr", told)  # here: pytest sets it again after the fixtures
    monkeypatch.setattr(supervisor, "STALL_S", 0.05)
    assert model.run(stand_still, model, told) == ["at last", "at last"]
    first, second = "".join(told.texts).split("nothing has moved for 0.05 s, and all tasks wait; ")[1:]
    for text, channel in ((first, "one"), (second, "two")):
        main, receiver = text.splitlines()[1:]
        assert (
            main == f"  main: waits for the end of its group at {place('with model.TaskGroup() as group:', __file__)}"
        )
        assert receiver == f"  receiver: receive on channel {channel!r} at {place('return [one.receive()', __file__)}"


def go_on_after_a_stall(model, told):
    channel, alerts = model.Channel(0), []
    words = channel.home.words

    def look_and_send():
        told.came.wait()
        alerts.append(words[ALERT])
        channel.send("at last")

    helper = threading.Thread(target=look_and_send)
    helper.start()
    channel.receive()
    helper.join()
    with model.TaskGroup() as group:
        task = group.spawn(receive, channel)
        unasked = words[task.at + ANSWERED] == words[ASKED] > 0
        channel.send("to another")
    return alerts, unasked


def test_after_a_stall_waits_are_as_quick_as_before(model, told, monkeypatch):
    monkeypatch.setattr(sys, "stderr", told)
    monkeypatch.setattr(supervisor, "STALL_S", 0.05)
    assert model.run(go_on_after_a_stall, model, told) == ([0], True)


def interrupt_when_all_wait(model, tasks):
    """Send Ctrl-C once these tasks wait, whose handles come from main."""
    words = tasks[0]._group.participant.words
    while not all(words[task.at + WAITING] for task in tasks):
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)


def be_interrupted(model):
    channel = model.Channel(0, "nothing")
    with model.TaskGroup() as group:
        tasks = [group.spawn(receive, channel, name="first"), group.spawn(receive, channel, name="second")]
        helper = threading.Thread(target=interrupt_when_all_wait, args=(model, tasks))
        helper.start()


def test_ctrl_c_tells_who_was_waiting(model, told, monkeypatch):
    monkeypatch.setattr(sys, "stderr", told)
    with pytest.raises(KeyboardInterrupt):
        model.run(be_interrupted, model)
    where = place("channel.receive()", waiting_tasks.__file__)
    assert "".join(told.texts).splitlines() == [
        "interrupted while all tasks were waiting:",
        f"  first: receive on channel 'nothing' at {where}",
        f"  second: receive on channel 'nothing' at {where}",
    ]


def be_interrupted_in_two_groups(model):
    channel = model.Channel(0, "nothing")
    with model.TaskGroup() as group, model.TaskGroup() as inner:
        tasks = [group.spawn(receive, channel, name="outer"), inner.spawn(receive, channel, name="inner")]
        threading.Thread(target=interrupt_when_all_wait, args=(model, tasks)).start()


def test_ctrl_c_tells_of_the_tasks_of_all_groups_that_it_leaves(model, told, monkeypatch):
    monkeypatch.setattr(sys, "stderr", told)
    with pytest.raises(KeyboardInterrupt):
        model.run(be_interrupted_in_two_groups, model)
    where = place("channel.receive()", waiting_tasks.__file__)
    assert "".join(told.texts).splitlines() == [
        "interrupted while all tasks were waiting:",
        f"  outer: receive on channel 'nothing' at {where}",
        f"  inner: receive on channel 'nothing' at {where}",
    ]


def be_interrupted_at_work(model):
    go, channel = model.Channel(1), model.Channel(0)
    with model.TaskGroup() as group:
        group.spawn(receive, channel)
        group.spawn(wait_and_end, model, go)
        go.receive()
        os.kill(os.getpid(), signal.SIGINT)


def wait_and_end(model, go):
    go.send("begun")
    model.sleep(3600)


def test_ctrl_c_tells_nothing_while_a_task_can_go_on(model, told, monkeypatch):
    monkeypatch.setattr(sys, "stderr", told)
    with pytest.raises(KeyboardInterrupt):
        model.run(be_interrupted_at_work, model)
    assert told.texts == []
