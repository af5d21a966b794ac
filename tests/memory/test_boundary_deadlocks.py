"""`run(main, deadlock_after=seconds)` in the models with memory boundaries: a deadlock is found across processes and
interpreters too.

As in `test_deadlocks.py`, a thread of pytest-timeout would be somebody who might still send: no timeout of that kind.
"""

import os
import threading

import pytest
import waiting_tasks
from waiting_tasks import LATER, choose, compute, play, receive, send, send_from_a_thread, send_later

from concmodels import catalog
from concmodels.conformance.census import NothingLeft
from concmodels.errors import Deadlock, ModelUnavailable
from concmodels.models.memory.lives.deadlocks import DeadlockDetector

pytestmark = pytest.mark.timeout(0)

SOON = 0.1
NAMES = [name for name in catalog.names(variants=True) if catalog.facts(name).family == "boundary"]

WAITS_DIFFER = ["processes", "subinterp"]
"""The variants that differ in how they wait; the others share everything with these."""

DIFFERENT = pytest.mark.parametrize("boundary", WAITS_DIFFER, indirect=True)
EACH = [pytest.param(name, marks=() if name in WAITS_DIFFER else pytest.mark.thorough) for name in NAMES]


@pytest.fixture(params=EACH, scope="module")
def boundary(request, quiet_corner):
    try:
        model = catalog.load(request.param)
    except ModelUnavailable as error:
        pytest.skip(str(error))
    model.run(wait_for_a_computation, model, 0)  # what multiprocessing starts once and keeps is not left behind
    return model


def line(text, path=waiting_tasks.__file__):
    """Return the place of this text in a file: that of the tasks, unless it is another one."""
    with open(path) as file:
        return next(f"{os.path.relpath(path)}:{number}" for number, content in enumerate(file, 1) if text in content)


def stuck(model):
    one, two, full = model.Channel(0, "one"), model.Channel(0, "two"), model.Channel(1, "full")
    full.send("item")
    with model.TaskGroup() as group:  # the group's end
        group.spawn(receive, one, name="receiver")
        group.spawn(choose, model, one, two, name="chooser")
        group.spawn(send, full, name="sender")


def test_a_deadlock_names_every_task_and_its_line(boundary):
    with NothingLeft(), pytest.raises(Deadlock) as caught:
        boundary.run(stuck, boundary, deadlock_after=SOON)
    assert caught.value.waits == (
        f"main: waits for the end of its group at {line('# the group' + chr(39) + 's end', __file__)}",
        f"receiver: receive on channel 'one' at {line('# the line in which it waits')}",
        f"chooser: select of receive on channel 'one', send on channel 'two' at {line('# the line of the choice')}",
        f"sender: send on channel 'full' at {line('# the line in which it sends')}",
    )


def receive_alone(model):
    model.Channel(0, "alone").receive()


def test_main_alone(boundary):
    with NothingLeft(), pytest.raises(Deadlock, match="main: receive on channel 'alone' at "):
        boundary.run(receive_alone, boundary, deadlock_after=SOON)


def receive_after_a_group_in_time(model):
    with model.TaskGroup(timeout=1e8) as group:
        group.spawn(compute, 0)
    receive_alone(model)


@DIFFERENT
def test_the_limit_of_a_group_that_is_over_hides_no_deadlock(boundary):
    with NothingLeft(), pytest.raises(Deadlock, match="main: receive on channel 'alone' at "):
        boundary.run(receive_after_a_group_in_time, boundary, deadlock_after=SOON)


def helped(model, function, *args):
    channel = model.Channel(0)
    with model.TaskGroup() as group:
        task = group.spawn(function, *args, channel) if args else group.spawn(function, channel)
        return channel.receive() if args else task.result()


@DIFFERENT
def test_a_sleeper_is_no_deadlock(boundary):
    assert boundary.run(helped, boundary, send_later, boundary, deadlock_after=SOON) == "late"


@DIFFERENT
def test_a_thread_in_a_child_is_no_deadlock(boundary):
    assert boundary.run(helped, boundary, send_from_a_thread, deadlock_after=SOON) is None


def helped_by_a_thread(model):
    channel = model.Channel(0)
    threading.Timer(LATER, channel.send, ("late",)).start()
    return channel.receive()


@DIFFERENT
def test_a_thread_of_the_parent_is_no_deadlock(boundary):
    assert boundary.run(helped_by_a_thread, boundary, deadlock_after=SOON) == "late"


def wait_for_a_computation(model, seconds):
    with model.TaskGroup() as group:
        return group.spawn(compute, seconds).result()


@DIFFERENT
def test_a_computation_is_no_deadlock(boundary):
    assert boundary.run(wait_for_a_computation, boundary, LATER, deadlock_after=SOON) == "computed"


def ping_pong(model, rounds):
    one, two = model.Channel(0), model.Channel(0)
    with model.TaskGroup() as group:
        group.spawn(play, one, two, rounds)
        for number in range(rounds):
            one.send(number)
            two.receive()
    return rounds


@DIFFERENT
def test_a_slow_game_is_no_deadlock(boundary):
    assert boundary.run(ping_pong, boundary, 30, deadlock_after=0.02) == 30


def helped_while_it_answers(model, looked):
    """Receive what was sent just before main says where it waits, and go on once the detector has heard that."""
    channel = model.Channel(0)
    participant = channel.home
    tell = participant.tell

    def send_and_tell(home, slot, frame):
        participant.tell = tell
        channel.send_nowait("just in time")
        home.forget_wakeup(slot)  # by the partner: one wake-up stands for this one and for the detector's
        looked.clear()
        tell(home, slot, frame)
        assert looked.wait(60)

    participant.tell = send_and_tell
    received = channel.receive()
    model.sleep(0)  # a checkpoint: main is cancelled for a deadlock
    return received


def helped_and_stuck(model, looked):
    helped_while_it_answers(model, looked)
    stuck(model)


@DIFFERENT
def test_help_while_a_task_answers_is_no_deadlock(boundary, monkeypatch):
    looked, conclude = threading.Event(), DeadlockDetector._conclude

    def conclude_and_tell(*args):
        try:
            return conclude(*args)
        finally:
            looked.set()

    monkeypatch.setattr(DeadlockDetector, "_conclude", conclude_and_tell)
    assert boundary.run(helped_while_it_answers, boundary, looked, deadlock_after=SOON) == "just in time"
    with pytest.raises(Deadlock) as caught:  # with tasks that were not there when main was asked
        boundary.run(helped_and_stuck, boundary, looked, deadlock_after=SOON)
    assert len(caught.value.waits) == 4


@DIFFERENT
def test_nobody_looks_unless_asked(boundary):
    def wait(boundary):
        with pytest.raises(TimeoutError):
            boundary.Channel(0).receive(timeout=LATER)

    boundary.run(wait, boundary)


@DIFFERENT
@pytest.mark.parametrize("seconds", [-1, "soon", float("nan")])
def test_bad_seconds_are_refused(boundary, seconds):
    with pytest.raises(ValueError, match="deadlock_after"):
        boundary.run(stuck, boundary, deadlock_after=seconds)
