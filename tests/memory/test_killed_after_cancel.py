"""A process that goes on after it was cancelled is killed: what it held, or was about to do, hangs no other task."""

import signal
import time

import pytest
from commands import skip_unless_here

from concmodels import catalog
from concmodels.errors import TaskDied
from concmodels.models.memory.channels.layout import RECEIVERS

PATIENCE_S = 40

pytestmark = pytest.mark.usefixtures("nothing_left_behind")


@pytest.fixture
def processes():
    skip_unless_here("processes")
    return catalog.load("processes")


def go_on():
    """Compute, and hear of nothing."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    time.sleep(60)


def go_on_with_a_lock(begun, channel, name):
    arena = channel.home.arena
    lock = arena.claim if name == "claim" else arena.pair(channel.number)[0]
    begun.send("begun")
    with lock:
        go_on()


def go_on_instead_of_waking(begun, channel):
    """Take the task that waits out of the list, as what wakes it does, and do no more.

    A cancellation wakes every task, in the order in which they were started: this one is the last.
    """
    home = channel.home
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    begun.send("begun")
    slot = home.wait_slot()
    home._wait_at_most(slot, PATIENCE_S)
    assert home.cancelled(slot.scope)
    with home.arena.claim:
        assert home.arena.pop(channel._at + RECEIVERS)
    go_on()


def cancel_once_begun(model, function, *args):
    begun = model.Channel(1)
    with model.TaskGroup() as group:
        group.spawn(function, begun, *args)
        begun.receive(PATIENCE_S)
        group.cancel()


@pytest.mark.parametrize("name", ["claim", "senders"])
def test_one_that_holds_a_lock_ends_the_run(processes, name):
    def main():
        cancel_once_begun(processes, go_on_with_a_lock, processes.Channel(1), name)

    with pytest.raises(ExceptionGroup) as caught:
        processes.run(main)
    (error,) = caught.value.exceptions
    assert isinstance(error, TaskDied) and "go_on_with_a_lock-1" in str(error)


def test_without_one_a_task_that_it_did_not_wake_is_woken(processes):
    def main():
        channel = processes.Channel(1)
        with processes.TaskGroup() as group:
            task = group.spawn(channel.receive)
            while not channel._control[RECEIVERS]:
                processes.sleep(0.01)
            cancel_once_begun(processes, go_on_instead_of_waking, channel)
            channel.send("item")
            return task.result(PATIENCE_S)

    assert processes.run(main) == "item"
