"""Select: `select` waits for several channels at once and performs one operation."""

import math
import time

from .tools import (
    BOUNDED,
    CAPACITIES,
    FOR_EVER,
    INF,
    PATIENCE,
    Attempts,
    drain,
    guarantee,
    patient,
    pause,
    raises,
    select_and_report,
    send_all,
    send_and_report,
)

NEEDS = ("select",)


@guarantee(capacity=CAPACITIES)
async def select_receives_what_is_there(model, capacity):
    """`select` performs exactly one case; if that receives, it takes the item and returns it."""
    ready, empty = model.Channel(capacity), model.Channel(capacity)
    async with model.TaskGroup() as group:
        group.spawn(send_all, ready, ["item"])
        done = await model.select(empty, ready, timeout=PATIENCE)
    assert done.channel is ready and done.item == "item" and not done.sent and not done.closed


@guarantee(capacity=(1, 3, INF))
async def select_sends_where_there_is_room(model, capacity):
    """`select` performs exactly one case; if that sends, it sends the item and says so."""
    full, roomy = model.Channel(1), model.Channel(capacity)
    full.send_nowait("full")
    done = await model.select((full, "not this"), (roomy, "this"), timeout=PATIENCE)
    assert done.channel is roomy and done.item == "this" and done.sent and not done.closed
    assert drain(roomy) == ["this"] and drain(full) == ["full"]


@guarantee(capacity=CAPACITIES)
async def select_waits_for_an_item(model, capacity):
    """`select` waits until one of its cases can be performed."""
    first, second, report = model.Channel(capacity), model.Channel(capacity), model.Channel(INF)
    async with model.TaskGroup() as group:
        group.spawn(select_and_report, model, report, "select", first, second)
        await pause(model)
        assert drain(report) == []
        await second.send("item", PATIENCE)
        assert await report.receive(PATIENCE) == ("select", 1, "item", False, False)
    assert drain(first) == [] and len(first) == 0


@guarantee(capacity=BOUNDED)
async def select_waits_for_room(model, capacity):
    """In `select`, a case that sends waits until the channel has room; on a rendezvous, until a receiver comes."""
    first, second, report = model.Channel(capacity), model.Channel(capacity), model.Channel(INF)
    for number in range(capacity):
        first.send_nowait(number)
        second.send_nowait(number)
    async with model.TaskGroup() as group:
        group.spawn(select_and_report, model, report, "select", (first, "a"), (second, "b"))
        await pause(model)
        assert drain(report) == []
        got = [await second.receive(PATIENCE)]
        assert await report.receive(PATIENCE) == ("select", 1, "b", True, False)
    assert got + drain(second) == [*range(capacity), "b"]
    assert drain(first) == [*range(capacity)]


@guarantee()
async def two_selects_meet(model):
    """On a rendezvous, a send and a receive can meet when both wait in a select."""
    channel, never, report = model.Channel(0), model.Channel(0), model.Channel(INF)
    async with model.TaskGroup() as group:
        group.spawn(select_and_report, model, report, "sends", (channel, "item"), never)
        group.spawn(select_and_report, model, report, "receives", never, channel)
        said = {await report.receive(PATIENCE), await report.receive(PATIENCE)}
    assert said == {("sends", 0, "item", True, False), ("receives", 1, "item", False, False)}


@guarantee()
async def a_select_never_meets_itself(model):
    """A select never meets itself: if it both sends to and receives from a rendezvous, it waits for another task."""
    channel = model.Channel(0)
    with raises(TimeoutError):
        await model.select(channel, (channel, "to myself"), timeout=0.01)
    with raises(TimeoutError):
        await model.select((channel, "to myself"), channel, timeout=0)


@guarantee(capacity=CAPACITIES)
async def select_with_timeout_0_never_waits(model, capacity):
    """With `timeout=0` a `select` never waits: it raises `TimeoutError` at once unless a case is ready."""
    empty = model.Channel(capacity)
    for timeout in (0, -1):
        with raises(TimeoutError):
            await model.select(empty, timeout=timeout)
    ready = model.Channel(INF)
    ready.send_nowait("item")
    assert (await model.select(empty, ready, timeout=0)).item == "item"


@guarantee(capacity=BOUNDED)
async def a_timed_out_select_has_done_nothing(model, capacity):
    """A `select` that timed out has performed none of its cases."""
    empty, full = model.Channel(capacity), model.Channel(capacity)
    for number in range(capacity):
        full.send_nowait(number)
    began = model.now()
    with raises(TimeoutError):
        await model.select(empty, (full, "too late"), timeout=0.03)
    assert model.now() - began >= 0.03
    assert drain(full) == [*range(capacity)]
    report = model.Channel(INF)
    async with model.TaskGroup() as group:
        group.spawn(send_and_report, empty, "next", report)
        assert await empty.receive(PATIENCE) == "next"


@guarantee()
async def priority_takes_the_first(model):
    """With `priority=True`, `select` performs the first case that is ready."""
    one, two, empty = model.Channel(INF), model.Channel(INF), model.Channel(INF)
    for number in range(50):
        one.send_nowait(number)
        two.send_nowait(number)
    for number in range(50):
        done = await model.select(empty, two, one, priority=True)
        assert done.channel is two and done.item == number
    assert (await model.select(empty, two, one, priority=True)).channel is one


@guarantee(capacity=CAPACITIES)
async def a_closed_channel_is_ready(model, capacity):
    """A case on a closed channel (to receive: closed and drained) is ready; the `.closed` of the result is True."""
    channel, never = model.Channel(capacity), model.Channel(0)
    channel.close()
    done = await model.select(never, channel, timeout=PATIENCE)
    assert done.closed and done.channel is channel and done.item is None and not done.sent
    done = await model.select(never, (channel, "item"), timeout=PATIENCE)
    assert done.closed and done.channel is channel and not done.sent


@guarantee(capacity=(1, 3, INF))
async def select_drains_before_it_is_closed(model, capacity):
    """`select` still receives items that were accepted before `close`; only after them, the `.closed` of the result is
    True.
    """
    channel = model.Channel(capacity)
    channel.send_nowait("item")
    channel.close()
    done = await model.select(channel, timeout=PATIENCE)
    assert done.item == "item" and not done.closed
    assert (await model.select(channel, timeout=PATIENCE)).closed


@guarantee(capacity=CAPACITIES)
async def close_wakes_a_select_that_receives(model, capacity):
    """`close` wakes a waiting select that receives."""
    channel, never, report = model.Channel(capacity), model.Channel(0), model.Channel(INF)
    async with model.TaskGroup() as group:
        group.spawn(select_and_report, model, report, "select", never, channel)
        await pause(model)
        channel.close()
        assert await report.receive(PATIENCE) == ("select", 1, None, False, True)


@guarantee(capacity=BOUNDED)
async def close_wakes_a_select_that_sends(model, capacity):
    """`close` wakes a waiting select that sends; its item is never received."""
    channel, never, report = model.Channel(capacity), model.Channel(0), model.Channel(INF)
    for number in range(capacity):
        channel.send_nowait(number)
    async with model.TaskGroup() as group:
        group.spawn(select_and_report, model, report, "select", never, (channel, "refused"))
        await pause(model)
        channel.close()
        assert await report.receive(PATIENCE) == ("select", 1, None, False, True)
    assert drain(channel) == [*range(capacity)]


@guarantee(by=patient)
async def an_idle_select_burns_no_cpu(model):
    """A waiting `select` uses no processor time."""
    one, two = model.Channel(0), model.Channel(INF)
    before = time.process_time()
    with raises(TimeoutError):
        await model.select(one, two, (one, "item"), timeout=0.3)
    assert time.process_time() - before < 0.03


@guarantee(capacity=CAPACITIES, timeout=(math.nan, "soon"))
async def a_timeout_that_is_not_needed_is_not_looked_at(model, capacity, timeout):
    """An operation that doesn't have to wait doesn't look at its timeout, whatever that is."""
    there, here = model.Channel(capacity), model.Channel(capacity)
    async with model.TaskGroup() as group:
        task = group.spawn(echo, there, here)
        assert await when_ready(model, there.send, "item", timeout) is None
        assert (await when_ready(model, select_first, model, here, timeout)).item == "item"
        assert await when_ready(model, here.receive, timeout) == "item"
        await task.result()
        assert await task.result(timeout) is None


async def echo(there, here):
    """Receive an item, and send it twice."""
    item = await there.receive()
    await here.send(item)
    await here.send(item)


async def select_first(model, channel, timeout):
    """Select one channel."""
    return await model.select(channel, timeout=timeout)


async def when_ready(model, operation, *args):
    """Try an operation with a bad timeout until it doesn't have to wait."""
    attempts = Attempts(model)
    while True:
        next(attempts)
        try:
            return await operation(*args)
        except ValueError, TypeError:
            await pause(model)


@guarantee()
async def a_select_over_many_channels(model, effort):
    """`select` can wait for any number of channels: here 128."""
    channels = [model.Channel(INF) for _ in range(128)]
    async with model.TaskGroup() as group:
        group.spawn(send_to_each, model, channels)
        seen = [channels.index((await model.select(*channels, timeout=PATIENCE)).channel) for _ in channels]
    assert sorted(seen) == [*range(128)]


async def send_to_each(model, channels):
    """Send one item to each channel, beginning with the last."""
    for channel in reversed(channels):
        await channel.send("item")
        await model.sleep(0)


@guarantee(case=((), 3, "channel", (1, 2), None))
async def a_bad_case_is_refused(model, case):
    """A case is a channel or a pair `(channel, item)`: anything else raises `TypeError`, and no case at all
    `ValueError`."""
    with raises(TypeError):
        await model.select(model.Channel(0), case, timeout=0)
    with raises(ValueError):
        await model.select(timeout=FOR_EVER)


@guarantee()
async def select_takes_a_channel_twice(model):
    """A channel may occur in several cases of one select."""
    channel = model.Channel(1)
    assert (await model.select(channel, (channel, "a"), (channel, "b"), timeout=PATIENCE)).sent
    done = await model.select(channel, (channel, "c"), timeout=PATIENCE)
    assert done.item in ("a", "b") and not done.sent


@guarantee(timeout=(math.nan, "soon"))
async def a_bad_timeout_is_refused(model, timeout):
    """`select`, `receive` and `send` refuse a timeout that is not a number."""
    empty, full = model.Channel(1), model.Channel(1)
    full.send_nowait("item")
    with raises(ValueError, TypeError):
        await model.select(empty, timeout=timeout)
    with raises(ValueError, TypeError):
        await empty.receive(timeout)
    with raises(ValueError, TypeError):
        await full.send("item", timeout)
