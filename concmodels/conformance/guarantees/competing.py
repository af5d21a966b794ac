"""Many tasks that select at the same time: fairness, competition and cancellation."""

from .tools import (
    CAPACITIES,
    INF,
    PATIENCE,
    Attempts,
    become,
    drain,
    guarantee,
    pause,
    select_and_report,
    send_all,
)

NEEDS = ("select",)


async def answer_ends(model, channel, other, rounds, report):
    """Offer both directions at once, again and again; report what happened."""
    received, sent = [], []
    for number in range(rounds):
        done = await model.select(channel, (other, number))
        (sent if done.sent else received).append(done.item)
    report.send_nowait((received, sent))


@guarantee()
async def crossing_selects_do_not_deadlock(model, effort):
    """Two selects that each offer to send and to receive always agree on exactly one case."""
    ab, ba, report = model.Channel(0), model.Channel(0), model.Channel(INF)
    rounds = effort.items
    async with model.TaskGroup() as group:
        group.spawn(answer_ends, model, ab, ba, rounds, report)
        group.spawn(answer_ends, model, ba, ab, rounds, report)
    (one_got, one_sent), (two_got, two_sent) = report.receive_nowait(), report.receive_nowait()
    assert one_got == two_sent and two_got == one_sent
    assert len(one_got) + len(one_sent) == rounds


async def select_for_a_moment(model, channel, timeout, report):
    """Select again and again with a timeout that is over about as often as not; report the items received."""
    got = []
    while True:
        try:
            done = await model.select(channel, timeout=timeout)
        except TimeoutError:
            continue
        if done.closed:
            report.send_nowait(got)
            return
        got.append(done.item)


@guarantee(capacity=CAPACITIES)
async def select_timeouts_race_senders(model, effort, capacity):
    """A `select` that times out loses nothing: each item still reaches exactly one of the tasks that select."""
    channel, report = model.Channel(capacity), model.Channel(INF)
    async with model.TaskGroup() as group:
        for _ in range(2):
            group.spawn(select_for_a_moment, model, channel, effort.hop, report)
        for number in range(effort.items):
            if number % 3 == 0:
                await model.sleep(effort.hop)  # else those who select would always find an item
            await channel.send(number, PATIENCE)
        channel.close()
    assert sorted(report.receive_nowait() + report.receive_nowait()) == [*range(effort.items)]


@guarantee(capacity=CAPACITIES)
async def select_is_fair(model, effort, capacity):
    """Among channels with a sender each, `select` leaves none out: each of them is chosen again and again."""
    channels = [model.Channel(capacity) for _ in range(3)]
    chosen = [0, 0, 0]
    async with model.TaskGroup() as group:
        for channel in channels:
            group.spawn(keep_sending, channel)
        for _ in Attempts(model):
            done = await model.select(*channels, timeout=PATIENCE)
            chosen[channels.index(done.channel)] += 1
            if min(chosen) >= effort.items:
                break
        group.cancel()


async def keep_sending(channel):
    """Send for ever."""
    while True:
        await channel.send("more")


@guarantee()
async def no_ready_case_starves(model):
    """`select` chooses at random: if two cases are ready in 10,000 rounds, each is chosen 4,000 to 6,000 times."""
    one, two = model.Channel(INF), model.Channel(INF)
    for channel in (one, two):
        for _ in range(10_000):
            channel.send_nowait("item")
    first = 0
    for _ in range(10_000):
        first += (await model.select(one, two)).channel is one
    assert 4_000 < first < 6_000, f"the first case was chosen {first} times in 10,000"


async def select_until_closed(model, channels, report):
    """Receive from any of these channels until all are closed; report the items received."""
    got, open_ones = [], list(channels)
    while open_ones:
        done = await model.select(*open_ones)
        if done.closed:
            open_ones.remove(done.channel)
        else:
            got.append(done.item)
    report.send_nowait(got)


async def select_to_any(model, channels, items):
    """Send each item to any channel that accepts it."""
    for item in items:
        await model.select(*((channel, item) for channel in channels))


@guarantee(capacity=CAPACITIES)
async def selects_compete_on_both_sides(model, effort, capacity):
    """Each `select` performs exactly one case, even when many selects compete on both sides of the same channels."""
    channels = [model.Channel(capacity) for _ in range(2)]
    report, items = model.Channel(INF), effort.items
    async with model.TaskGroup() as receivers:
        for _ in range(2):
            receivers.spawn(select_until_closed, model, channels, report)
        async with model.TaskGroup() as senders:
            for base in (0, 1000):
                senders.spawn(select_to_any, model, channels, range(base, base + items))
        for channel in channels:
            channel.close()
    got = report.receive_nowait() + report.receive_nowait()
    assert sorted(got) == [*range(items), *range(1000, 1000 + items)]


@guarantee(capacity=CAPACITIES)
async def selects_and_plain_operations_mix(model, effort, capacity):
    """Each accepted item reaches exactly one receiver, even when some tasks select and others just send and receive."""
    channels = [model.Channel(capacity) for _ in range(2)]
    report, items = model.Channel(INF), effort.items
    async with model.TaskGroup() as receivers:
        receivers.spawn(select_until_closed, model, channels, report)
        for channel in channels:
            receivers.spawn(select_until_closed, model, [channel], report)
        async with model.TaskGroup() as senders:
            senders.spawn(select_to_any, model, channels, range(items))
            for base, channel in ((1000, channels[0]), (2000, channels[1])):
                senders.spawn(send_all, channel, range(base, base + items))
        for channel in channels:
            channel.close()
    got = [item for _ in range(3) for item in report.receive_nowait()]
    assert sorted(got) == [n for base in (0, 1000, 2000) for n in range(base, base + items)]


@guarantee(capacity=(1, 3))
async def a_select_that_loses_passes_the_turn_on(model, effort, capacity):
    """An accepted item never stays in a channel while a task waits for it: a select that was woken, but chose another
    case, wakes the next waiter."""
    one, two = model.Channel(capacity), model.Channel(capacity)
    for _ in range(effort.rounds):
        report = model.Channel(INF)
        async with model.TaskGroup() as group:
            group.spawn(select_and_report, model, report, "select", one, two)
            group.spawn(select_and_report, model, report, "plain", one)
            group.spawn(select_and_report, model, report, "plain", two)
            await pause(model)
            for channel, item in ((one, "a"), (two, "b"), (one, "c"), (two, "d")):
                await channel.send(item, PATIENCE)
            labels = [(await report.receive(PATIENCE))[0] for _ in range(3)]
        assert sorted(labels) == ["plain", "plain", "select"]
        assert len(drain(one) + drain(two)) == 1


async def select_for_ever(model, report, *cases):
    """Wait in a select until cancelled."""
    report.send_nowait("waits")
    try:
        await model.select(*cases)
    except model.Cancelled:
        report.send_nowait("cancelled")
        raise


@guarantee(capacity=CAPACITIES)
async def cancellation_ends_a_select(model, capacity):
    """A task can be cancelled where it waits in a `select`, which has then done nothing."""
    one, two, report = model.Channel(capacity), model.Channel(0), model.Channel(INF)
    async with model.TaskGroup() as group:
        task = group.spawn(select_for_ever, model, report, one, two, (two, "nobody wants this"))
        assert await report.receive(PATIENCE) == "waits"
        await pause(model)
        task.cancel()
        assert await report.receive(PATIENCE) == "cancelled"
        await become(model, True, task.done)
        group.spawn(send_all, one, ["item"])
        assert await one.receive(PATIENCE) == "item"
    assert drain(two) == []


async def select_all(model, channels, report):
    """Select until cancelled; report each item."""
    while True:
        report.send_nowait((await model.select(*channels)).item)


@guarantee(capacity=CAPACITIES)
async def a_cancelled_select_loses_nothing(model, effort, capacity):
    """A cancelled `select` loses nothing: either it returns the item that it has taken, or it has taken nothing."""
    channels, report = [model.Channel(capacity) for _ in range(2)], model.Channel(INF)
    got = []
    for number in range(effort.rounds):
        async with model.TaskGroup() as group:
            task = group.spawn(select_all, model, channels, report)
            sender = group.spawn(select_to_any, model, channels, [number])
            task.cancel()
            for _ in Attempts(model):
                for channel in channels:
                    got += drain(channel)
                got += drain(report)
                if sender.done() and task.done():
                    break
                await model.sleep(0.0005)
        for channel in channels:
            got += drain(channel)
        got += drain(report)
    assert got == [*range(effort.rounds)]
