"""Many who select at once: fairness, competition, cancellation."""

from .tools import (
    CAPACITIES,
    INF,
    PATIENCE,
    Attempts,
    become,
    drain,
    pause,
    promise,
    select_and_report,
    send_all,
)

NEEDS = ("select",)


async def answer_ends(room, channel, other, rounds, report):
    """Be ready for both directions at once, again and again; tell what happened."""
    received, sent = [], []
    for number in range(rounds):
        done = await room.select(channel, (other, number))
        (sent if done.sent else received).append(done.item)
    report.send_nowait((received, sent))


@promise()
async def crossing_selects_do_not_deadlock(room, effort):
    """`select` takes effect on exactly one case: two that each offer to send and to receive always agree on one."""
    ab, ba, report = room.Channel(0), room.Channel(0), room.Channel(INF)
    rounds = effort.items
    async with room.TaskGroup() as group:
        group.spawn(answer_ends, room, ab, ba, rounds, report)
        group.spawn(answer_ends, room, ba, ab, rounds, report)
    (one_got, one_sent), (two_got, two_sent) = report.receive_nowait(), report.receive_nowait()
    assert one_got == two_sent and two_got == one_sent
    assert len(one_got) + len(one_sent) == rounds


async def select_for_a_moment(room, channel, timeout, report):
    """Select again and again with a timeout that strikes about as often as not; tell what was received."""
    got = []
    while True:
        try:
            done = await room.select(channel, timeout=timeout)
        except TimeoutError:
            continue
        if done.closed:
            report.send_nowait(got)
            return
        got.append(done.item)


@promise(capacity=CAPACITIES)
async def select_timeouts_race_senders(room, effort, capacity):
    """`select` loses nothing when it times out: each item reaches exactly one of those who select."""
    channel, report = room.Channel(capacity), room.Channel(INF)
    async with room.TaskGroup() as group:
        for _ in range(2):
            group.spawn(select_for_a_moment, room, channel, effort.hop, report)
        for number in range(effort.items):
            await channel.send(number, PATIENCE)
        channel.close()
    assert sorted(report.receive_nowait() + report.receive_nowait()) == [*range(effort.items)]


@promise(capacity=CAPACITIES)
async def select_is_fair(room, effort, capacity):
    """`select` is fair among ready cases: none of them starves."""
    channels = [room.Channel(capacity) for _ in range(3)]
    chosen = [0, 0, 0]
    async with room.TaskGroup() as group:
        for channel in channels:
            group.spawn(keep_sending, channel)
        for _ in Attempts(room):
            done = await room.select(*channels, timeout=PATIENCE)
            chosen[channels.index(done.channel)] += 1
            if min(chosen) >= effort.items:
                break
        group.cancel()


async def keep_sending(channel):
    """Send for ever."""
    while True:
        await channel.send("more")


@promise()
async def no_ready_case_starves(room):
    """`select` is fair among ready cases: of 10,000 rounds each of two gets thousands."""
    one, two = room.Channel(INF), room.Channel(INF)
    for channel in (one, two):
        for _ in range(10_000):
            channel.send_nowait("item")
    first = 0
    for _ in range(10_000):
        first += (await room.select(one, two)).channel is one
    assert 4_000 < first < 6_000, f"the first case was chosen {first} times in 10,000"


async def select_until_closed(room, channels, report):
    """Receive from any of these until all are closed; tell what was received."""
    got, open_ones = [], list(channels)
    while open_ones:
        done = await room.select(*open_ones)
        if done.closed:
            open_ones.remove(done.channel)
        else:
            got.append(done.item)
    report.send_nowait(got)


async def select_to_any(room, channels, items):
    """Send each item to whichever channel takes it."""
    for item in items:
        await room.select(*((channel, item) for channel in channels))


@promise(capacity=CAPACITIES)
async def selects_compete_on_both_sides(room, effort, capacity):
    """Exactly one case takes effect also when many selects compete for the same channels from both sides."""
    channels = [room.Channel(capacity) for _ in range(2)]
    report, items = room.Channel(INF), effort.items
    async with room.TaskGroup() as receivers:
        for _ in range(2):
            receivers.spawn(select_until_closed, room, channels, report)
        async with room.TaskGroup() as senders:
            for base in (0, 1000):
                senders.spawn(select_to_any, room, channels, range(base, base + items))
        for channel in channels:
            channel.close()
    got = report.receive_nowait() + report.receive_nowait()
    assert sorted(got) == [*range(items), *range(1000, 1000 + items)]


@promise(capacity=CAPACITIES)
async def selects_and_plain_operations_mix(room, effort, capacity):
    """Each accepted item reaches exactly one receiver: also when some select and others just send and receive."""
    channels = [room.Channel(capacity) for _ in range(2)]
    report, items = room.Channel(INF), effort.items
    async with room.TaskGroup() as receivers:
        receivers.spawn(select_until_closed, room, channels, report)
        for channel in channels:
            receivers.spawn(select_until_closed, room, [channel], report)
        async with room.TaskGroup() as senders:
            senders.spawn(select_to_any, room, channels, range(items))
            for base, channel in ((1000, channels[0]), (2000, channels[1])):
                senders.spawn(send_all, channel, range(base, base + items))
        for channel in channels:
            channel.close()
    got = [item for _ in range(3) for item in report.receive_nowait()]
    assert sorted(got) == [n for base in (0, 1000, 2000) for n in range(base, base + items)]


@promise(capacity=(1, 3))
async def a_select_that_loses_passes_the_turn_on(room, effort, capacity):
    """An accepted item is never left lying while somebody waits: who was woken and chose another case steps aside."""
    one, two = room.Channel(capacity), room.Channel(capacity)
    for _ in range(effort.rounds):
        report = room.Channel(INF)
        async with room.TaskGroup() as group:
            group.spawn(select_and_report, room, report, "select", one, two)
            group.spawn(select_and_report, room, report, "plain", one)
            group.spawn(select_and_report, room, report, "plain", two)
            await pause(room)
            for channel, item in ((one, "a"), (two, "b"), (one, "c"), (two, "d")):
                await channel.send(item, PATIENCE)
            labels = [(await report.receive(PATIENCE))[0] for _ in range(3)]
        assert sorted(labels) == ["plain", "plain", "select"]
        assert len(drain(one) + drain(two)) == 1


async def select_for_ever(room, report, *cases):
    """Wait in a select until cancelled."""
    report.send_nowait("waits")
    try:
        await room.select(*cases)
    except room.Cancelled:
        report.send_nowait("cancelled")
        raise


@promise(capacity=CAPACITIES)
async def cancellation_ends_a_select(room, capacity):
    """Cancellation is delivered where a task waits: in a `select`, which has then done nothing."""
    one, two, report = room.Channel(capacity), room.Channel(0), room.Channel(INF)
    async with room.TaskGroup() as group:
        task = group.spawn(select_for_ever, room, report, one, two, (two, "nobody wants this"))
        assert await report.receive(PATIENCE) == "waits"
        await pause(room)
        task.cancel()
        assert await report.receive(PATIENCE) == "cancelled"
        await become(room, True, task.done)
        group.spawn(send_all, one, ["item"])
        assert await one.receive(PATIENCE) == "item"
    assert drain(two) == []


async def select_all(room, channels, report):
    """Select until cancelled; tell each item."""
    while True:
        report.send_nowait((await room.select(*channels)).item)


@promise(capacity=CAPACITIES)
async def a_cancelled_select_loses_nothing(room, effort, capacity):
    """`select` loses nothing when it is cancelled: it has taken an item and returns it, or it has taken nothing."""
    channels, report = [room.Channel(capacity) for _ in range(2)], room.Channel(INF)
    got = []
    for number in range(effort.rounds):
        async with room.TaskGroup() as group:
            task = group.spawn(select_all, room, channels, report)
            sender = group.spawn(select_to_any, room, channels, [number])
            task.cancel()
            for _ in Attempts(room):
                for channel in channels:
                    got += drain(channel)
                got += drain(report)
                if sender.done() and task.done():
                    break
                await room.sleep(0.0005)
        for channel in channels:
            got += drain(channel)
        got += drain(report)
    assert got == [*range(effort.rounds)]
