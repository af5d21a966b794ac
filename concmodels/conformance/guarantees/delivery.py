"""Delivery: every item arrives exactly once and in order, whatever it is."""

from concmodels.errors import ChannelClosed

from .tools import (
    BOUNDED,
    CAPACITIES,
    INF,
    PATIENCE,
    Attempts,
    answer,
    cooperative,
    guarantee,
    pause,
    receive_all,
    send_all,
)


async def crowd(model, capacity, count):
    """Let two tasks send `count` numbered items each over one channel, and two receive; return what each received."""
    channel = model.Channel(capacity, "crowded")
    async with model.TaskGroup() as group:
        receivers = [group.spawn(receive_all, channel) for _ in range(2)]
        senders = [group.spawn(send_all, channel, [(name, number) for number in range(count)]) for name in "ab"]
        for sender in senders:
            await sender.result()
        channel.close()
    return [await receiver.result() for receiver in receivers]


@guarantee(capacity=CAPACITIES)
async def each_item_reaches_one_receiver(model, effort, capacity):
    """Each accepted item reaches exactly one receiver, with any number of senders and receivers."""
    received = await crowd(model, capacity, effort.items)
    assert sorted(received[0] + received[1]) == [(name, number) for name in "ab" for number in range(effort.items)]


@guarantee(capacity=CAPACITIES)
async def items_arrive_in_order(model, effort, capacity):
    """The items of one sender arrive in the order in which they were sent."""
    for items in await crowd(model, capacity, effort.items):
        for name in "ab":
            numbers = [number for sender, number in items if sender == name]
            assert numbers == sorted(numbers)


@guarantee(capacity=CAPACITIES)
async def one_to_one_is_a_stream(model, effort, capacity):
    """Between one sender and one receiver, all items arrive in the order in which they were sent."""
    channel = model.Channel(capacity)
    async with model.TaskGroup() as group:
        group.spawn(send_all, channel, list(range(effort.items)))
        assert [await channel.receive(PATIENCE) for _ in range(effort.items)] == list(range(effort.items))


NUMBERS = (0, -1, 2**31, 2**61, 2**62, 2**63, 2**64, -(2**63), -(2**70), 1.5, True)
ITEMS = (*NUMBERS, None, False, "", "é\N{SNOWMAN}", b"\0\xff", (), (1, ("x", None)), [1, [2]], {"k": 1})


async def echo(inbox, outbox):
    """Send back every item."""
    async for item in inbox:
        await outbox.send(item)


@guarantee(capacity=(0, INF))
async def any_value_is_an_item(model, capacity):
    """Any value can be an item, including None, an empty value, and a large number."""
    out, back = model.Channel(capacity), model.Channel(capacity)
    async with model.TaskGroup() as group:
        group.spawn(echo, out, back)
        for item in ITEMS:
            await out.send(item)
            returned = await back.receive(PATIENCE)
            assert returned == item and type(returned) is type(item)
        out.close()


@guarantee(capacity=(0, 1, INF))
async def size_does_not_matter(model, capacity):
    """An item can have any size, for example three megabytes."""
    out, back = model.Channel(capacity), model.Channel(capacity)
    large = bytes(range(256)) * 12_000
    async with model.TaskGroup() as group:
        group.spawn(echo, out, back)
        for item in (b"small", large, b"small again", large[1:]):
            await out.send(item)
            assert await back.receive(PATIENCE) == item
        out.close()


# Channels through channels.


async def serve(requests):
    """Answer each request on the channel that came with it."""
    async for question, reply in requests:
        await reply.send(question * 2)


@guarantee(capacity=(0, 1, INF))
async def a_channel_travels_through_a_channel(model, capacity):
    """A channel can be sent through another channel."""
    requests = model.Channel(capacity)
    async with model.TaskGroup() as group:
        group.spawn(serve, requests)
        for question in range(3):
            reply = model.Channel(capacity, f"reply {question}")
            await requests.send((question, reply))
            assert await reply.receive(PATIENCE) == question * 2
        requests.close()


async def open_shop(model, shops, capacity):
    """Make a channel in this task, and send it to the task that will use it."""
    shop = model.Channel(capacity, "made in a task")
    await shops.send(shop)
    return await shop.receive()


@guarantee(capacity=(0, 1, INF))
async def a_task_may_make_a_channel(model, capacity):
    """A channel that a task has made can be sent through another channel."""
    shops = model.Channel(1)
    async with model.TaskGroup() as group:
        task = group.spawn(open_shop, model, shops, capacity)
        shop = await shops.receive(PATIENCE)
        assert (shop.capacity, shop.name) == (capacity, "made in a task")
        await shop.send("bought")
        assert await task.result(PATIENCE) == "bought"


@guarantee()
async def a_channel_comes_back_the_same(model):
    """A channel can be an argument of `spawn`; when it is sent back, it is the same channel."""
    channel = model.Channel(1)
    async with model.TaskGroup() as group:
        returned = await group.spawn(answer, channel).result(PATIENCE)
        await returned.send("through the other end")
        assert await channel.receive(PATIENCE) == "through the other end"


# No waiting task is overtaken for ever.


async def send_for_ever(channel, name):
    """Send as many items as the channel accepts."""
    try:
        while True:
            await channel.send(name)
    except ChannelClosed:
        pass


async def receive_for_ever(channel, name, got):
    """Receive as many items as there are, and report the first."""
    async for _ in channel:
        got.send_nowait(name)
        break
    async for _ in channel:
        pass


NAMES = ("one", "two", "three")


@guarantee(capacity=BOUNDED)
async def no_sender_is_overtaken_for_ever(model, capacity):
    """No waiting sender is overtaken for ever: each of several greedy senders makes progress."""
    channel, seen = model.Channel(capacity), set()
    async with model.TaskGroup() as group:
        for name in NAMES:
            group.spawn(send_for_ever, channel, name)
        for _ in Attempts(model):
            seen.add(await channel.receive(PATIENCE))
            if len(seen) == len(NAMES):
                break
        channel.close()


@guarantee(capacity=CAPACITIES)
async def no_receiver_is_overtaken_for_ever(model, capacity):
    """No waiting receiver is overtaken for ever: each of several greedy receivers makes progress."""
    channel, got = model.Channel(capacity), model.Channel(INF)
    async with model.TaskGroup() as group:
        for name in NAMES:
            group.spawn(receive_for_ever, channel, name, got)
        for _ in Attempts(model):
            await channel.send("item", PATIENCE)
            if len(got) == len(NAMES):
                break
        channel.close()
    assert sorted([got.receive_nowait() for _ in NAMES]) == sorted(NAMES)


async def receive_once(channel):
    """Receive one item."""
    return await channel.receive()


@guarantee(capacity=BOUNDED)
async def a_sender_that_waits_is_served_before_long(model, capacity):
    """No waiter is overtaken for ever: a sender that waits is served, however often another one comes back."""
    channel = model.Channel(capacity)
    async with model.TaskGroup() as group:
        for _ in range(capacity):
            await channel.send("earlier")
        patient = group.spawn(send_all, channel, ["patient"])
        await pause(model)
        group.spawn(send_for_ever, channel, "greedy")
        for _ in Attempts(model):
            await pause(model)  # until the greedy one waits again
            await channel.receive(PATIENCE)
            if patient.done():
                break
        channel.close()


@guarantee(capacity=CAPACITIES)
async def a_receiver_that_waits_is_served_before_long(model, capacity):
    """No waiter is overtaken for ever: a receiver that waits is served, however often another one comes back."""
    channel = model.Channel(capacity)
    async with model.TaskGroup() as group:
        patient = group.spawn(receive_once, channel)
        await pause(model)
        group.spawn(receive_all, channel)
        for _ in Attempts(model):
            await pause(model)  # until the greedy one waits again
            await channel.send("item", PATIENCE)
            if patient.done():
                break
        channel.close()


ENOUGH = 2_000


async def count_until_told(channel, flag, operations):
    """Perform operations that need not wait until the flag is set; return how many there were."""
    count = 0
    while not len(flag) and count < ENOUGH:
        for operation in operations:
            if operation == "send":
                await channel.send(count)
            else:
                await channel.receive()
            count += 1
    return count


@guarantee(by=cooperative, operations=(("send",), ("receive",), ("send", "receive")), capacity=(1, INF))
async def busy_channels_let_others_run(model, operations, capacity):
    """In the cooperative models, other tasks run at least once in 256 successive operations that need not wait."""
    room_for = ENOUGH if capacity == 1 and operations != ("send", "receive") else capacity
    channel, flag = model.Channel(room_for), model.Channel(1)
    if operations == ("receive",):
        for number in range(ENOUGH):
            channel.send_nowait(number)
    async with model.TaskGroup() as group:
        busy = group.spawn(count_until_told, channel, flag, operations)
        group.spawn(send_all, flag, ["up"])
        assert await busy.result(PATIENCE) <= 256
