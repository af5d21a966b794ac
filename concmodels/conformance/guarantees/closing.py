"""Closing a channel: accepted items stay, and every waiting task is woken."""

from concmodels.errors import ChannelClosed

from .tools import (
    BOUNDED,
    CAPACITIES,
    INF,
    PATIENCE,
    Trouble,
    drain,
    guarantee,
    pause,
    raises,
    receive_all,
)


@guarantee(capacity=CAPACITIES)
async def close_is_idempotent(model, capacity):
    """`close()` is idempotent: a second call does nothing."""
    channel = model.Channel(capacity)
    channel.close()
    channel.close()
    assert channel.closed


@guarantee(capacity=CAPACITIES)
async def a_closed_channel_accepts_nothing(model, capacity):
    """A closed channel accepts nothing: `send` and `send_nowait` raise `ChannelClosed`."""
    channel = model.Channel(capacity)
    channel.close()
    for timeout in (None, 0, 1):
        with raises(ChannelClosed):
            await channel.send("item", timeout)
    with raises(ChannelClosed):
        channel.send_nowait("item")
    assert len(channel) == 0


@guarantee(capacity=(1, 3, INF))
async def what_was_accepted_stays_receivable(model, capacity):
    """After `close`, items that were accepted before can still be received; then `receive` raises `ChannelClosed`."""
    channel = model.Channel(capacity)
    held = min(capacity, 4)
    for number in range(held):
        channel.send_nowait(number)
    channel.close()
    with raises(ChannelClosed):
        await channel.send("too late")
    assert [await channel.receive() for _ in range(held)] == list(range(held))
    for timeout in (None, 0, 1):
        with raises(ChannelClosed):
            await channel.receive(timeout)
    with raises(ChannelClosed):
        channel.receive_nowait()


@guarantee(capacity=(1, 3, INF))
async def iteration_ends(model, capacity):
    """After `close`, items that were accepted before can still be received by iteration, which then ends."""
    channel = model.Channel(capacity)
    held = min(capacity, 4)
    for number in range(held):
        channel.send_nowait(number)
    channel.close()
    assert [item async for item in channel] == list(range(held))
    assert [item async for item in channel] == []


@guarantee(capacity=CAPACITIES)
async def iteration_may_be_left_and_taken_up_again(model, capacity):
    """A loop over a channel that is left by `break` has received the items that it saw, and no others."""
    channel, item = model.Channel(capacity), None
    async with model.TaskGroup() as group:
        group.spawn(send_numbers_and_close, channel, 5)
        async for item in channel:
            if item == 1:
                break
        assert item == 1
        assert [item async for item in channel] == [2, 3, 4]


async def send_numbers_and_close(channel, count):
    """Send so many numbers, then close the channel."""
    with channel:
        for number in range(count):
            await channel.send(number)


@guarantee(capacity=CAPACITIES)
async def with_closes(model, capacity):
    """`with channel:` closes the channel at the end of the block, for all tasks."""
    with model.Channel(capacity) as channel:
        assert not channel.closed
    assert channel.closed
    channel = model.Channel(capacity)
    with raises(Trouble), channel:
        raise Trouble
    assert channel.closed


@guarantee(capacity=CAPACITIES)
async def close_is_seen_by_everybody(model, capacity):
    """`close` takes effect for all tasks: a task sees that the body of its group has closed a channel, and the body
    sees that a task has.
    """
    channel, other = model.Channel(capacity), model.Channel(capacity)
    async with model.TaskGroup() as group:
        task = group.spawn(close_when_closed, channel, other)
        channel.close()
        assert await task.result(PATIENCE)
    assert other.closed


async def close_when_closed(channel, other):
    """Wait for the end of one channel, then close the other."""
    async for _ in channel:
        pass
    other.close()
    return channel.closed


async def receive_and_tell(channel, ready):
    """Report that a receive is about to begin, and return how it ended."""
    ready.send_nowait("about to receive")
    try:
        return await channel.receive()
    except ChannelClosed:
        return "closed"


@guarantee(capacity=CAPACITIES)
async def close_wakes_all_receivers(model, capacity):
    """`close` wakes all waiting receivers: `receive` raises `ChannelClosed`, and iteration ends."""
    channel, ready = model.Channel(capacity), model.Channel(INF)
    async with model.TaskGroup() as group:
        receiving = [group.spawn(receive_and_tell, channel, ready) for _ in range(2)]
        iterating = group.spawn(receive_all, channel)
        for _ in receiving:
            await ready.receive(PATIENCE)
        await pause(model)
        channel.close()
        assert [await task.result(PATIENCE) for task in receiving] == ["closed", "closed"]
        assert await iterating.result(PATIENCE) == []


async def send_and_tell(channel, item, ready):
    """Report that a send is about to begin, and return how it ended."""
    ready.send_nowait("about to send")
    try:
        await channel.send(item)
        return "sent"
    except ChannelClosed:
        return "closed"


@guarantee(capacity=BOUNDED)
async def close_refuses_waiting_senders(model, capacity):
    """`close` wakes all waiting senders: their `send` raises `ChannelClosed`, and their items are never received."""
    channel, ready = model.Channel(capacity), model.Channel(INF)
    for number in range(capacity):
        channel.send_nowait(number)
    async with model.TaskGroup() as group:
        tasks = [group.spawn(send_and_tell, channel, "refused", ready) for _ in range(3)]
        for _ in tasks:
            await ready.receive(PATIENCE)
        await pause(model)
        channel.close()
        assert drain(channel) == list(range(capacity))
        assert [await task.result(PATIENCE) for task in tasks] == ["closed"] * 3


@guarantee(needs=("TaskGroup",), capacity=BOUNDED)
async def close_never_blocks(model, capacity):
    """`close()` never waits, even while senders and receivers wait, and in a task that is being cancelled."""
    channel, ready = model.Channel(capacity), model.Channel(INF)
    async with model.TaskGroup() as group:
        task = group.spawn(close_while_cancelled, model, channel, ready)
        await ready.receive(PATIENCE)
        await pause(model)
        task.cancel()
    assert channel.closed


async def close_while_cancelled(model, channel, ready):
    """Wait for an item that never comes, and close the channel when cancelled."""
    with channel:
        ready.send_nowait("about to receive")
        await channel.receive()


# The race. Two tasks are given one channel after the other.


async def send_until_refused(channels, report):
    """Send numbers to each channel until it is closed; report how many were accepted."""
    async for channel in channels:
        number = 0
        try:
            while True:
                await channel.send(number)
                number += 1
        except ChannelClosed:
            report.send_nowait(number)


async def close_some_time(model, channels):
    """Close each channel at a different moment."""
    number = 0
    async for channel in channels:
        number += 1
        if number % 2:
            await model.sleep(number % 7 / 4000)
        channel.close()


@guarantee(capacity=CAPACITIES)
async def a_send_that_races_a_close_has_one_of_two_outcomes(model, effort, capacity):
    """A `send` that races with a `close` either returns, and its item is received, or raises, and its item is never
    received."""
    to_sender, to_closer, report = model.Channel(1), model.Channel(1), model.Channel(INF)
    async with model.TaskGroup() as group:
        group.spawn(send_until_refused, to_sender, report)
        group.spawn(close_some_time, model, to_closer)
        for number in range(effort.rounds):
            channel = model.Channel(capacity, f"round {number}")
            await to_sender.send(channel)
            await to_closer.send(channel)
            received = [item async for item in channel]
            accepted = await report.receive(PATIENCE)
            received += drain(channel)
            assert received == list(range(accepted))
        to_sender.close()
        to_closer.close()


@guarantee(capacity=CAPACITIES)
async def a_close_without_receivers_keeps_what_was_accepted(model, effort, capacity):
    """If a `send` that races with a `close` returns, its item can be received later, even if no receiver was there."""
    to_sender, report = model.Channel(1), model.Channel(INF)
    async with model.TaskGroup() as group:
        group.spawn(send_until_refused, to_sender, report)
        for number in range(effort.rounds):
            channel = model.Channel(capacity)
            await to_sender.send(channel)
            if number % 2:
                await model.sleep(number % 5 / 4000)
            channel.close()
            accepted = await report.receive(PATIENCE)
            assert drain(channel) == list(range(accepted))
        to_sender.close()
