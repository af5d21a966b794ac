"""Waiting: when an operation waits, and which operations never do."""

import math

from concmodels.errors import WouldBlock

from .tools import (
    CAPACITIES,
    INF,
    PATIENCE,
    become,
    drain,
    guarantee,
    pause,
    raises,
    receive_and_report,
    receive_when_offered,
    send_and_report,
    send_when_awaited,
)


@guarantee(capacity=(1, 3))
async def send_waits_while_full(model, capacity):
    """`send` waits while the channel is full."""
    channel, report = model.Channel(capacity), model.Channel(INF)
    for number in range(capacity):
        await channel.send(number)
    async with model.TaskGroup() as group:
        group.spawn(send_and_report, channel, "the last", report)
        await pause(model)
        assert drain(report) == [] and len(channel) == capacity
        assert await channel.receive(PATIENCE) == 0
        assert await report.receive(PATIENCE) == "sent"
    assert drain(channel) == [*range(1, capacity), "the last"]


@guarantee(capacity=CAPACITIES)
async def receive_waits_while_empty(model, capacity):
    """`receive` waits while the channel is empty."""
    channel, report = model.Channel(capacity), model.Channel(INF)
    async with model.TaskGroup() as group:
        group.spawn(receive_and_report, channel, report)
        await pause(model)
        assert drain(report) == []
        await channel.send("at last")
        assert await report.receive(PATIENCE) == "at last"


@guarantee()
async def a_rendezvous_send_returns_once_taken(model):
    """On a rendezvous, `send` returns once a receiver has taken the item."""
    channel, report = model.Channel(0), model.Channel(INF)
    async with model.TaskGroup() as group:
        group.spawn(send_and_report, channel, "item", report)
        await pause(model)
        assert drain(report) == [] and len(channel) == 0
        assert await channel.receive(PATIENCE) == "item"
        assert await report.receive(PATIENCE) == "sent"


@guarantee(capacity=(1, 3, INF))
async def send_does_not_wait_while_there_is_room(model, capacity):
    """`send` does not wait while the channel has room."""
    channel = model.Channel(capacity)
    held = min(capacity, 100)
    for number in range(held):
        await channel.send(number)
    assert len(channel) == held
    assert [await channel.receive() for _ in range(held)] == list(range(held))


@guarantee(capacity=(1, 3))
async def send_nowait_refuses_when_full(model, capacity):
    """`send_nowait` raises `WouldBlock` while the channel is full."""
    channel = model.Channel(capacity)
    for number in range(capacity):
        channel.send_nowait(number)
    with raises(WouldBlock):
        channel.send_nowait("one too many")
    assert drain(channel) == list(range(capacity))


@guarantee(capacity=CAPACITIES)
async def receive_nowait_refuses_when_empty(model, capacity):
    """`receive_nowait` raises `WouldBlock` while the channel is empty."""
    with raises(WouldBlock):
        model.Channel(capacity).receive_nowait()


@guarantee()
async def send_nowait_needs_a_partner(model):
    """On a rendezvous, `send_nowait` succeeds only if a receiver waits."""
    channel, report = model.Channel(0), model.Channel(INF)
    with raises(WouldBlock):
        channel.send_nowait("nobody is there")
    async with model.TaskGroup() as group:
        group.spawn(receive_and_report, channel, report)
        await send_when_awaited(model, channel, "item")
        with raises(WouldBlock):
            channel.send_nowait("nobody is there any more")
        assert await report.receive(PATIENCE) == "item"


@guarantee()
async def receive_nowait_needs_a_partner(model):
    """On a rendezvous, `receive_nowait` succeeds only if a sender waits."""
    channel, report = model.Channel(0), model.Channel(INF)
    async with model.TaskGroup() as group:
        group.spawn(send_and_report, channel, "item", report)
        assert await receive_when_offered(model, channel) == "item"
        assert await report.receive(PATIENCE) == "sent"
        with raises(WouldBlock):
            channel.receive_nowait()


@guarantee(capacity=(1, 3))
async def receive_nowait_lets_a_sender_in(model, capacity):
    """A `send` that waits on a full channel goes on when `receive_nowait` has taken an item."""
    channel, report = model.Channel(capacity), model.Channel(INF)
    for number in range(capacity):
        channel.send_nowait(number)
    async with model.TaskGroup() as group:
        group.spawn(send_and_report, channel, "the last", report)
        await pause(model)
        assert channel.receive_nowait() == 0
        assert await report.receive(PATIENCE) == "sent"
    assert drain(channel) == [*range(1, capacity), "the last"]


@guarantee(capacity=CAPACITIES)
async def a_channel_knows_its_capacity_and_name(model, capacity):
    """`.capacity` and `.name` say how the channel was made, and `.closed` whether it is closed."""
    channel = model.Channel(capacity, "a name")
    assert (channel.capacity, channel.name, channel.closed) == (capacity, "a name", False)
    assert model.Channel(capacity=capacity).name is None
    assert model.Channel(capacity=capacity, name="another").name == "another"
    channel.close()
    assert channel.closed


@guarantee()
async def a_channel_is_a_rendezvous_unless_told(model):
    """`Channel()` makes a rendezvous without a name: the default capacity is 0."""
    assert model.Channel().capacity == 0


@guarantee(capacity=(1, 3, INF))
async def len_counts_what_is_held(model, capacity):
    """`len()` is the number of items that the channel holds now."""
    channel = model.Channel(capacity)
    held = min(capacity, 5)
    for number in range(held):
        assert len(channel) == number
        await channel.send(number)
    channel.close()
    for number in range(held, 0, -1):
        assert len(channel) == number
        await channel.receive()
    assert len(channel) == 0


@guarantee()
async def a_rendezvous_holds_nothing(model):
    """`len()` of a rendezvous is always 0."""
    channel, report = model.Channel(0), model.Channel(INF)
    async with model.TaskGroup() as group:
        group.spawn(send_and_report, channel, "item", report)
        await pause(model)
        assert len(channel) == 0
        await channel.receive(PATIENCE)
        await become(model, 1, lambda: len(report))
        assert len(channel) == 0


@guarantee(capacity=(-1, 1.5, math.nan, -math.inf, "3", None))
async def a_bad_capacity_is_refused(model, capacity):
    """A capacity is a whole number of at least 0, or `math.inf`; anything else raises `ValueError`."""
    with raises(ValueError):
        model.Channel(capacity)
