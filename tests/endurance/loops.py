"""Channel loops and waits that only Ctrl-C ends, async; see `plain.py`.

Each task notes a step after it was done. So what is noted is certain, and exactly one step per task, the one under way
when it ended, may have been done or not; `books.py` says when it may.
"""

import math

FOR_EVER, PATIENCE = 3600, 50


async def produce(channel, page):
    """Send 0, 1, 2 ... for ever."""
    with page:
        while True:
            await channel.send(page.sent)
            page.sent += 1


async def consume(channel, page):
    """Receive for ever."""
    with page:
        async for number in channel:
            page.must_be_due(number)
            page.received += 1


async def consume_one_by_one(channel, page):
    """Receive for ever, each with a call of its own."""
    with page:
        while True:
            page.must_be_due(await channel.receive())
            page.received += 1


async def echo(incoming, outgoing, page):
    """Send back what comes."""
    with page:
        async for number in incoming:
            page.must_be_due(number)
            page.received += 1
            await outgoing.send(number)
            page.sent += 1


async def exchange(there, back, page):
    """Send, and receive the answer."""
    with page:
        while True:
            await there.send(page.sent)
            page.sent += 1
            page.must_be_due(await back.receive())
            page.received += 1


async def main_exchanges(model, book, press):
    """The main task sends to an echo and receives from it."""
    press()
    there, back = book.channels
    async with model.TaskGroup() as group:
        group.spawn(echo, there, back, book.others)
        await exchange(there, back, book.main)


async def main_consumes(model, book, press):
    """The main task receives in a `for` loop."""
    press()
    async with model.TaskGroup() as group:
        group.spawn(produce, book.channels[0], book.others)
        await consume(book.channels[0], book.main)


async def main_receives(model, book, press):
    """The main task receives with calls."""
    press()
    async with model.TaskGroup() as group:
        group.spawn(produce, book.channels[0], book.others)
        await consume_one_by_one(book.channels[0], book.main)


async def main_produces(model, book, press):
    """The main task sends."""
    press()
    async with model.TaskGroup() as group:
        group.spawn(consume, book.channels[0], book.others)
        await produce(book.channels[0], book.main)


async def receive_one(channel):
    """Receive one."""
    return await channel.receive(PATIENCE)


async def use_again(model, channels):
    """A fresh run: every channel still takes a message and gives it to who asks now."""
    for channel in channels:
        async with model.TaskGroup() as group:
            task = group.spawn(receive_one, channel)
            await channel.send("fresh", PATIENCE)
            assert await task.result(PATIENCE) == "fresh"


# The ways to wait.


async def wait_for_ever(model):
    """A task that waits meanwhile."""
    await model.sleep(FOR_EVER)


async def wait_in(model, where, group, nobody):
    """Have the main task wait for ever in this way."""
    task = group.spawn(wait_for_ever, model)
    if where == "receive":
        await nobody.receive()
    elif where == "send":
        await nobody.send("nobody wants this")
    elif where == "select":
        await model.select(nobody, (model.Channel(0), "nor this"))
    elif where == "sleep":
        await model.sleep(FOR_EVER)
    elif where == "result":
        await task.result()


async def main_waits(model, where, press):
    """The main task waits for ever; where "leave" is said, at the end of the group."""
    press()
    nobody = model.Channel(0)
    async with model.TaskGroup() as group:
        group.spawn(receive_one_for_ever, model.Channel(math.inf))
        await wait_in(model, where, group, nobody)


async def receive_one_for_ever(channel):
    """Another task that waits meanwhile."""
    await channel.receive()
