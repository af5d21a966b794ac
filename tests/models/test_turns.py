"""Woken tasks follow each other without the hub in between: but only so many, and in order."""

import sys

import pytest

from concmodels import load
from concmodels.errors import ModelUnavailable
from concmodels.models.waiting import turns

HOPS = 400


class FakeHub:
    """A hub whose callbacks are called by the test, and in which nothing ever switches."""

    def __init__(self):
        self.callbacks = []
        self.switches = 0

    def switch(self):
        self.switches += 1


class FakeWaiter:
    """A waiter that is its own greenlet, and notes when it is switched to."""

    def __init__(self, name, seen):
        self.unit, self.name, self.seen = self, name, seen

    def switch(self):
        self.seen.append(self.name)
        self.woken = False


@pytest.fixture
def hub():
    return FakeHub()


@pytest.fixture
def queue(hub):
    return turns.turns_of(hub, hub.callbacks.append)


def test_a_hub_has_one_queue(hub, queue):
    assert turns.turns_of(hub, None) is queue


def test_those_who_are_woken_share_one_callback(hub, queue):
    seen = []
    for name in "abc":
        queue.add(FakeWaiter(name, seen))
    assert len(hub.callbacks) == 1
    hub.callbacks.pop()()
    assert (seen, hub.callbacks) == (["a", "b", "c"], [])


def test_who_has_gone_on_is_passed_over(hub, queue):
    seen = []
    one, other = FakeWaiter("one", seen), FakeWaiter("other", seen)
    queue.add(one)
    queue.add(other)
    one.woken = False  # an exception was thrown into its wait
    queue.leave()
    assert seen == ["other"]
    queue.leave()
    assert hub.switches == 1


def test_the_hub_has_its_turn_after_so_many(hub, queue):
    seen = []
    for number in range(turns.IN_A_ROW + 3):
        queue.add(FakeWaiter(number, seen))
        queue.leave()
    assert (len(seen), hub.switches) == (turns.IN_A_ROW, 3)
    hub.callbacks.pop()()
    assert seen == list(range(turns.IN_A_ROW + 3))


def test_nobody_overtakes_a_task_that_lets_others_run(hub, queue):
    seen = []

    class FakeChannel:
        _yields = iter([False])

        def _let_others_run(self):
            queue.add(FakeWaiter("one", seen))
            queue.leave()
            assert (seen, hub.switches) == ([], 1)
            hub.callbacks.pop()()
            queue.add(FakeWaiter("two", seen))
            queue.leave()
            assert (seen, hub.switches) == (["one"], 2)

    turns.checkpoint(FakeChannel())
    hub.callbacks.pop()()
    queue.add(FakeWaiter("three", seen))
    queue.leave()
    assert (seen, hub.switches) == (["one", "two", "three"], 2)


def test_an_error_in_a_task_leaves_nobody_behind(hub, queue):
    seen = []

    class Broken(FakeWaiter):
        def switch(self):
            raise OSError(self.name)

    queue.add(Broken("broken", seen))
    queue.add(FakeWaiter("last", seen))
    with pytest.raises(OSError, match="broken"):
        hub.callbacks.pop()()
    hub.callbacks.pop()()
    assert seen == ["last"]


@pytest.mark.parametrize("name", ["gevent", "eventlet"])
def test_other_greenlets_have_turns_while_a_message_goes_round(name):
    try:
        model = load(name)
    except ModelUnavailable as error:
        pytest.skip(str(error))
    library = sys.modules[name]
    seen = []

    def other():
        while not seen or seen[-1] < HOPS:
            library.sleep(0)
            others.append(len(seen))

    def node(inbox, outbox):
        for hop in inbox:
            seen.append(hop)
            if hop == HOPS:
                return
            outbox.send(hop + 1)

    def main():
        one, two = model.Channel(2), model.Channel(2)
        with model.TaskGroup() as group:
            group.spawn(node, one, two)
            group.spawn(node, two, one)
            library.spawn(other)
            one.send(0)
            model.sleep(0)
            group.spawn(lambda: None)
            while seen[-1] < HOPS:
                model.sleep(0)
            group.cancel()

    others = []
    model.run(main, deadlock_after=None)
    assert max(b - a for a, b in zip(others, others[1:], strict=False)) <= 2 * turns.IN_A_ROW + 2
