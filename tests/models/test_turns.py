"""Woken tasks follow each other without the hub, or a round of the loop, in between: but only so many, and in order."""

import asyncio
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


@pytest.mark.parametrize("name", ["asyncio", "anyio"])
def test_a_callback_comes_once_and_in_order_while_messages_go_round(name):
    """The loop counts its callbacks at the beginning of a round, so none may be missing then, and none be called twice.

    At every place of the round there are other callbacks beside those of the tasks, before them and behind.
    """
    model = load(name)
    called, due = [], []

    async def node(inbox, outbox):
        loop = asyncio.get_running_loop()
        async for hop in inbox:
            for _ in range(hop % 4):
                due.append(len(due))
                loop.call_soon(called.append, due[-1])
            if hop == HOPS:
                outbox.close()
                return
            await outbox.send(hop + 1)

    async def main():
        links = [model.Channel(float("inf")) for _ in range(5)]
        async with model.TaskGroup() as group:
            for number in range(5):
                group.spawn(node, links[number], links[number - 1])
            for number in range(3):
                await links[number].send(HOPS % 5 + number)
            await model.sleep(0.05)
            group.cancel()
        for _ in range(3):
            await asyncio.sleep(0)

    model.run(main, deadlock_after=None)
    assert len(due) > HOPS / 2
    assert called == due


@pytest.mark.parametrize("name", ["asyncio", "anyio"])
def test_a_timer_comes_while_a_message_goes_round(name):
    model = load(name)

    async def node(inbox, outbox):
        async for item in inbox:
            await outbox.send(item)

    async def main():
        one, two = model.Channel(1), model.Channel(1)
        rung = []
        async with model.TaskGroup() as group:
            group.spawn(node, one, two)
            group.spawn(node, two, one)
            await one.send("for ever")
            asyncio.get_running_loop().call_later(0, lambda: (rung.append(True), group.cancel()))
            await model.sleep(3600)
        return rung

    assert model.run(main) == [True]


def test_a_loop_in_debug_mode_is_left_alone():
    from concmodels.models.waiting import loop_turns

    async def main():
        loop = asyncio.get_running_loop()
        with loop_turns.turns():
            return loop in loop_turns.resting

    assert asyncio.run(main(), debug=False) and not asyncio.run(main(), debug=True)
    assert not loop_turns.resting
