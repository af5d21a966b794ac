"""To cancel many tasks that wait for one thing costs each the same, however many they are. Steps are counted."""

import random
from collections import deque
from types import SimpleNamespace

import pytest

from concmodels import catalog, load
from concmodels.errors import ModelUnavailable
from concmodels.models.waiting.queues import forget
from concmodels.models.waiting.waiter import SingleThreadWaiter, Waiter

MANY = 300
MODELS = [name for name in catalog.names() if catalog.facts(name).family != "boundary"]


class Looked:
    """A waiter that counts how often the queue looks at one of its kind."""

    looks = 0

    def __init__(self):
        self.outcome = ""

    def waits(self):
        Looked.looks += 1
        return not self.outcome

    def __eq__(self, other):
        Looked.looks += 1
        return self is other

    __hash__ = object.__hash__


@pytest.mark.parametrize("many", [10, 1000])
@pytest.mark.parametrize("taken", [0, 3])
def test_those_who_leave_look_at_few_others(many, taken):
    """In any order, with partners that take some out in between; and the queue never holds many that have left."""
    channel, queue, order, Looked.looks = SimpleNamespace(_gone=0), deque(), [Looked() for _ in range(many)], 0
    stay = Looked()
    queue.extend([stay, *order])
    random.Random(many).shuffle(order)
    for number, waiter in enumerate(order):
        forget(channel, queue, waiter)
        if taken and queue and number % taken == 0:
            queue.popleft()
        assert taken or len(queue) <= 2 * (many - number)
    assert Looked.looks <= 3 * many
    assert taken or list(queue) == [stay]


def test_the_last_one_leaves_nothing():
    channel, queue, first, last = SimpleNamespace(_gone=0), deque(), Looked(), Looked()
    queue.extend([first, last])
    forget(channel, queue, last)
    forget(channel, queue, last)  # it is gone already
    assert list(queue) == [first]


@pytest.mark.parametrize("name", MODELS)
def test_a_group_that_waits_in_one_channel_is_cancelled(name, monkeypatch):
    try:
        model = load(name)
    except ModelUnavailable as error:
        pytest.skip(str(error))
    looks = []
    for kind in (Waiter, SingleThreadWaiter):
        monkeypatch.setattr(kind, "waits", _counted(kind.waits, looks))
    monkeypatch.setattr(Waiter, "__eq__", _counted(object.__eq__, looks))
    monkeypatch.setattr(Waiter, "__hash__", object.__hash__)
    model.run(_async_main if catalog.facts(name).is_async else _main, model, deadlock_after=None)
    assert len(looks) <= 6 * MANY


def _counted(method, looks):
    def count(*args):
        looks.append(1)
        return method(*args)

    return count


def _main(model):
    channel, begun = model.Channel(), model.Channel(MANY)
    with model.TaskGroup() as group:
        for _ in range(MANY):
            group.spawn(_wait, channel, begun)
        for _ in range(MANY):
            begun.receive()
        model.sleep(0)
        group.cancel()
    assert not channel._receivers


def _wait(channel, begun):
    begun.send(None)
    channel.receive()


async def _async_main(model):
    channel, begun = model.Channel(), model.Channel(MANY)
    async with model.TaskGroup() as group:
        for _ in range(MANY):
            group.spawn(_async_wait, channel, begun)
        for _ in range(MANY):
            await begun.receive()
        await model.sleep(0)
        group.cancel()
    assert not channel._receivers


async def _async_wait(channel, begun):
    begun.send_nowait(None)
    await channel.receive()
