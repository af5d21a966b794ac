"""A partner and a cancellation meet: the first of them decides, and nothing is undone.

In each guarantee, both happen to a waiting task without a checkpoint in between. In a cooperative model, that task
can't run in the meantime, so it is certain which of the two came first.
"""

import time

from concmodels.errors import ChannelClosed, TaskCancelled, WouldBlock

from .tools import (
    BOUNDED,
    CAPACITIES,
    FOR_EVER,
    INF,
    PATIENCE,
    become,
    cooperative,
    drain,
    guarantee,
    pause,
    raises,
    receive_all,
)

NEEDS = ("TaskGroup",)

RECEIVING = ("receive", "iterate", "select")
SENDING = ("send", "select")

SOON = 0.002
"""Seconds."""

ROUNDS = 5
"""Some loops let those whose time is up go on in any order."""


async def receive_by(model, channel, operation):
    """Receive one item."""
    if operation == "receive":
        return await channel.receive()
    if operation == "select":
        return (await model.select(channel, model.Channel(0))).item
    async for item in channel:
        return item
    return "the end"


async def send_by(model, channel, operation, item):
    """Send one item."""
    if operation == "send":
        await channel.send(item)
    else:
        await model.select((channel, item), model.Channel(0))
    return "sent"


async def tell_both(model, report, function, *args):
    """Perform an operation, then wait; report what the operation returned, and where the cancellation arrived."""
    where = "in the operation"
    try:
        report.send_nowait(await function(model, *args))
        where = "at the next checkpoint"
        await model.sleep(FOR_EVER)
    except model.Cancelled:
        report.send_nowait(where)
        raise


async def start(model, group, report, function, *args):
    """Start `tell_both`, and return the task once it waits."""
    task = group.spawn(tell_both, model, report, function, *args)
    await pause(model)
    return task


def filled(model, capacity):
    """Return a channel that is full."""
    channel = model.Channel(capacity)
    for number in range(capacity):
        channel.send_nowait(number)
    return channel


@guarantee(by=cooperative, operation=RECEIVING, capacity=CAPACITIES)
async def an_item_before_the_cancellation(model, operation, capacity):
    """If a partner hands over an item before the receiver is cancelled, `receive` returns; the next checkpoint raises
    `Cancelled`."""
    channel, report = model.Channel(capacity), model.Channel(INF)
    async with model.TaskGroup() as group:
        task = await start(model, group, report, receive_by, channel, operation)
        channel.send_nowait("item")
        task.cancel()
        assert len(channel) == 0
        with raises(TaskCancelled):
            await task.result(PATIENCE)
    assert drain(report) == ["item", "at the next checkpoint"]
    assert len(channel) == 0


@guarantee(by=cooperative, operation=RECEIVING, capacity=CAPACITIES)
async def an_item_after_the_cancellation(model, operation, capacity):
    """If the receiver is cancelled before a partner comes, `receive` raises `Cancelled` and takes nothing."""
    channel, report = model.Channel(capacity), model.Channel(INF)
    async with model.TaskGroup() as group:
        task = await start(model, group, report, receive_by, channel, operation)
        task.cancel()
        if capacity == 0:
            with raises(WouldBlock):
                channel.send_nowait("item")
        else:
            channel.send_nowait("item")
        with raises(TaskCancelled):
            await task.result(PATIENCE)
    assert drain(report) == ["in the operation"]
    assert drain(channel) == ([] if capacity == 0 else ["item"])


async def receive_in_time(model, channel, operation, timeout):
    """Receive one item by then; return what was received."""
    try:
        if operation == "select":
            return [(await model.select(channel, model.Channel(0), timeout=timeout)).item]
        return [await channel.receive(timeout)]
    except TimeoutError:
        return []


async def send_after(model, channel, seconds):
    """Send then what can be sent without waiting; return what was sent."""
    await model.sleep(seconds)
    try:
        channel.send_nowait("item")
    except WouldBlock:
        return []
    return ["item"]


@guarantee(by=cooperative, operation=("receive", "select"), capacity=CAPACITIES)
async def an_item_in_the_turn_of_the_timeout(model, operation, capacity):
    """A `receive` that times out in the turn in which an item comes has taken nothing: the item stays."""
    for _ in range(ROUNDS):
        channel = model.Channel(capacity)
        async with model.TaskGroup() as group:
            receiver = group.spawn(receive_in_time, model, channel, operation, 2 * SOON)
            sender = group.spawn(send_after, model, channel, SOON)
            await model.sleep(0)  # now both wait
            time.sleep(3 * SOON)  # nobody goes on, until the time of both is up
        assert [*await receiver.result(), *drain(channel)] == await sender.result()


@guarantee(by=cooperative, operation=SENDING, capacity=BOUNDED)
async def room_before_the_cancellation(model, operation, capacity):
    """If a partner accepts an item before the sender is cancelled, `send` returns; the next checkpoint raises
    `Cancelled`."""
    channel, report = filled(model, capacity), model.Channel(INF)
    async with model.TaskGroup() as group:
        task = await start(model, group, report, send_by, channel, operation, "item")
        first = channel.receive_nowait()
        task.cancel()
        with raises(TaskCancelled):
            await task.result(PATIENCE)
    assert drain(report) == ["sent", "at the next checkpoint"]
    assert [first, *drain(channel)] == [*range(capacity), "item"]


@guarantee(by=cooperative, operation=SENDING, capacity=BOUNDED)
async def room_after_the_cancellation(model, operation, capacity):
    """If the sender is cancelled before a partner comes, `send` raises `Cancelled` and its item is never received."""
    channel, report = filled(model, capacity), model.Channel(INF)
    async with model.TaskGroup() as group:
        task = await start(model, group, report, send_by, channel, operation, "item")
        task.cancel()
        assert drain(channel) == [*range(capacity)]
        with raises(TaskCancelled):
            await task.result(PATIENCE)
    assert drain(report) == ["in the operation"]
    assert drain(channel) == []


@guarantee(by=cooperative, capacity=CAPACITIES, cancelled=("first", "second"))
async def the_order_stays(model, capacity, cancelled):
    """If two tasks wait, two items come, and then one task is cancelled, each task has the item that it was given."""
    channel, first, second = model.Channel(capacity), model.Channel(INF), model.Channel(INF)
    async with model.TaskGroup() as group:
        tasks = {
            "first": await start(model, group, first, receive_by, channel, "receive"),
            "second": await start(model, group, second, receive_by, channel, "receive"),
        }
        channel.send_nowait(1)
        channel.send_nowait(2)
        tasks[cancelled].cancel()
        await become(model, (True, True), lambda: (len(first) > 0, len(second) > 0))
        group.cancel()
    assert (drain(first)[0], drain(second)[0]) == (1, 2)


@guarantee(by=cooperative, capacity=CAPACITIES)
async def the_next_is_served(model, capacity):
    """If two tasks wait, the first is cancelled, and then an item comes, the second task gets the item."""
    channel, first, second = model.Channel(capacity), model.Channel(INF), model.Channel(INF)
    async with model.TaskGroup() as group:
        task = await start(model, group, first, receive_by, channel, "receive")
        await start(model, group, second, receive_by, channel, "receive")
        task.cancel()
        channel.send_nowait("item")
        assert await second.receive(PATIENCE) == "item"
        group.cancel()
    assert drain(first) == ["in the operation"]


@guarantee(by=cooperative, capacity=CAPACITIES)
async def the_end_stays_the_end(model, capacity):
    """Once iteration has ended, no further item comes, whichever task was cancelled."""
    channel, report = model.Channel(capacity), model.Channel(INF)
    async with model.TaskGroup() as group:
        task = await start(model, group, report, receive_by, channel, "iterate")
        channel.send_nowait("item")
        task.cancel()
        channel.close()
        assert await receive_all(channel) == []
        with raises(TaskCancelled):
            await task.result(PATIENCE)
        with raises(ChannelClosed):
            channel.receive_nowait()
    assert drain(report) == ["item", "at the next checkpoint"]


@guarantee(by=cooperative, capacity=CAPACITIES)
async def what_has_returned_has_returned(model, capacity):
    """A task that returns an item which it was given before it was cancelled has not been cancelled: it has a
    result."""
    channel = model.Channel(capacity)
    async with model.TaskGroup() as group:
        task = group.spawn(receive_by, model, channel, "receive")
        await pause(model)
        channel.send_nowait("item")
        task.cancel()
        assert await task.result(PATIENCE) == "item"


async def get_result(_model, task):
    """Return the result of this task."""
    return await task.result()


@guarantee(by=cooperative, first=("the end", "the cancellation"))
async def a_result_stays(model, first):
    """A cancelled `Task.result` takes nothing: the next task that asks gets the result."""
    channel, report = model.Channel(0), model.Channel(INF)
    async with model.TaskGroup() as group:
        task = group.spawn(receive_by, model, channel, "receive")
        asking = await start(model, group, report, get_result, task)
        if first == "the end":
            channel.send_nowait("item")
            asking.cancel()
        else:
            asking.cancel()
            channel.send_nowait("item")
        with raises(TaskCancelled):
            await asking.result(PATIENCE)
        assert await task.result(PATIENCE) == "item"
    assert drain(report)[-1:] in (["in the operation"], ["at the next checkpoint"])


async def hold_a_group(model, channel):
    """Leave a group whose task receives one item."""
    async with model.TaskGroup() as group:
        task = group.spawn(receive_by, model, channel, "receive")
    return await task.result()


@guarantee(by=cooperative, first=("the end", "the cancellation"))
async def a_group_is_left_once(model, first):
    """A task that is cancelled just when the last task of its group ends is cancelled there, or at its next
    checkpoint."""
    channel, report = model.Channel(INF), model.Channel(INF)
    async with model.TaskGroup() as group:
        task = await start(model, group, report, hold_a_group, channel)
        if first == "the end":
            channel.send_nowait("item")
            task.cancel()
        else:
            task.cancel()
            channel.send_nowait("item")
        with raises(TaskCancelled):
            await task.result(PATIENCE)
    assert drain(report)[-1:] in (["in the operation"], ["at the next checkpoint"])
