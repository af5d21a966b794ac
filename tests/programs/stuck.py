"""Programs that stop because every task waits for another one, and some that only look like it.

Written with `await`; `test_deadlocks.py` gives the sync rooms the same text without it, line for line. The comments
name the lines that a `Deadlock` has to show.
"""


async def receives(channel):
    return await channel.receive()  # receiving


async def sends_all(channel, items):
    for item in items:
        await channel.send(item)  # sending


async def iterates(channel):
    async for _ in channel:  # iterating
        pass


async def asks(tasks, number, started):
    await started.receive()
    await tasks[number].result()  # asking


async def chooses(room, one, two):
    await room.select(one, (two, "hello"))  # choosing


async def passes_on(source, target):
    await target.send(await source.receive())  # passing on


async def circle(room):
    a, b = room.Channel(0, "a"), room.Channel(3, "b")
    async with room.TaskGroup() as group:  # circle
        group.spawn(passes_on, a, b, name="left")
        group.spawn(passes_on, b, a, name="right")


async def full(room):
    channel = room.Channel(2, "full")
    async with room.TaskGroup() as group:  # full
        group.spawn(sends_all, channel, (1, 2, 3), name="sender")


async def never_closed(room):
    async with room.TaskGroup() as group:
        group.spawn(iterates, room.Channel(float("inf"), "endless"), name="reader")
        await room.Channel().receive()  # never closed


async def choice(room):
    async with room.TaskGroup() as group:  # choice
        group.spawn(chooses, room, room.Channel(0, "one"), room.Channel(0, "two"), name="chooser")


async def results(room):
    tasks, started = [], room.Channel(2)
    async with room.TaskGroup() as group:  # results
        tasks.append(group.spawn(asks, tasks, 1, started, name="first"))
        tasks.append(group.spawn(asks, tasks, 0, started, name="second"))
        await sends_all(started, (None, None))


async def alone(room):
    await room.Channel(0, "nobody").send("hello")  # alone


async def nested(room):
    async with room.TaskGroup() as group:  # nested
        group.spawn(inner, room, name="owner")


async def inner(room):
    async with room.TaskGroup() as group:  # inner
        group.spawn(receives, room.Channel(0, "deep"), name="grandchild")


async def many(room):
    async with room.TaskGroup() as group:
        for number in range(300):
            group.spawn(receives, room.Channel(0, f"c{number}"), name=f"node-{number}")


# What becomes of a deadlock


async def swallows(room):
    try:
        await room.Channel().receive()
    except BaseException:  # noqa: BLE001 - that is the slip
        return "as if nothing had happened"


async def fails_in_clean_up(room):
    async with room.TaskGroup() as group:
        group.spawn(fails_at_the_end, room.Channel(), name="clumsy")


async def fails_at_the_end(channel):
    try:
        await channel.receive()
    finally:
        raise OSError("the disk is full")


async def main_fails_in_clean_up(room):
    await fails_at_the_end(room.Channel())


async def waits_in_clean_up(room):
    async with room.TaskGroup() as group:
        group.spawn(waits_at_the_end, room.Channel(), room.Channel(), name="slow")


async def main_waits_in_clean_up(room):
    await waits_at_the_end(room.Channel(), room.Channel())


async def waits_at_the_end(one, two):
    try:
        await one.receive()
    finally:
        await two.receive()


# No deadlocks


async def sleeper(room, pause):
    channel = room.Channel()
    async with room.TaskGroup() as group:
        group.spawn(sleeps, room, channel, pause)
        return await channel.receive()


async def sleeps(room, channel, pause):
    await room.sleep(pause)
    await channel.send("help")


async def timed_task(room, pause):
    async with room.TaskGroup() as group:
        return await group.spawn(timed, room, pause).result()


async def timed(room, pause):
    try:
        await room.Channel().receive(timeout=pause)
    except TimeoutError:
        return "help"


async def computing_task(room, pause):
    channel = room.Channel()
    async with room.TaskGroup() as group:
        group.spawn(computes, room, channel, pause)
        return await channel.receive()


async def computes(room, channel, pause):
    end = room.now() + pause
    while room.now() < end:
        pass
    await channel.send("help")


async def helped(room, helper):
    channel = room.Channel(1)
    helper(channel)
    return await channel.receive()


# Locks of the model's own


async def locked(room, lock, told):
    await lock.acquire()
    async with room.TaskGroup() as group:
        group.spawn(wants, lock, told, name="wants")
        group.spawn(fails, room)


async def locked_out(room, lock):
    await lock.acquire()
    await lock.acquire()  # main wanting


async def locked_out_in_group(room, lock):
    await lock.acquire()
    async with room.TaskGroup() as group:
        group.spawn(wants, lock, [], name="wants")
        await lock.acquire()  # body wanting


async def wants(lock, told):
    try:
        await lock.acquire()  # wanting
    except BaseException as error:
        told.append(error)
        raise


async def fails(room):
    await room.sleep(0.02)
    raise OSError("the disk is full")
