"""Programs that stop because every task waits for another one, and some that only look like it.

Written with `await`; `test_deadlocks.py` gives the sync models the same text without it, line for line. The comments
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


async def chooses(model, one, two):
    await model.select(one, (two, "hello"))  # choosing


async def passes_on(source, target):
    await target.send(await source.receive())  # passing on


async def circle(model):
    a, b = model.Channel(0, "a"), model.Channel(3, "b")
    async with model.TaskGroup() as group:  # circle
        group.spawn(passes_on, a, b, name="left")
        group.spawn(passes_on, b, a, name="right")


async def full(model):
    channel = model.Channel(2, "full")
    async with model.TaskGroup() as group:  # full
        group.spawn(sends_all, channel, (1, 2, 3), name="sender")


async def never_closed(model):
    async with model.TaskGroup() as group:
        group.spawn(iterates, model.Channel(float("inf"), "endless"), name="reader")
        await model.Channel().receive()  # never closed


async def choice(model):
    async with model.TaskGroup() as group:  # choice
        group.spawn(chooses, model, model.Channel(0, "one"), model.Channel(0, "two"), name="chooser")


async def results(model):
    tasks, started = [], model.Channel(2)
    async with model.TaskGroup() as group:  # results
        tasks.append(group.spawn(asks, tasks, 1, started, name="first"))
        tasks.append(group.spawn(asks, tasks, 0, started, name="second"))
        await sends_all(started, (None, None))


async def alone(model):
    await model.Channel(0, "nobody").send("hello")  # alone


async def nested(model):
    async with model.TaskGroup() as group:  # nested
        group.spawn(inner, model, name="owner")


async def inner(model):
    async with model.TaskGroup() as group:  # inner
        group.spawn(receives, model.Channel(0, "deep"), name="grandchild")


async def many(model):
    async with model.TaskGroup() as group:
        for number in range(300):
            group.spawn(receives, model.Channel(0, f"c{number}"), name=f"node-{number}")


# What becomes of a deadlock


async def swallows(model):
    try:
        await model.Channel().receive()
    except BaseException:  # noqa: BLE001 - that is the slip
        return "as if nothing had happened"


async def fails_in_clean_up(model):
    async with model.TaskGroup() as group:
        group.spawn(fails_at_the_end, model.Channel(), name="clumsy")


async def fails_at_the_end(channel):
    try:
        await channel.receive()
    finally:
        raise OSError("the disk is full")


async def main_fails_in_clean_up(model):
    await fails_at_the_end(model.Channel())


async def waits_in_clean_up(model):
    async with model.TaskGroup() as group:
        group.spawn(waits_at_the_end, model.Channel(), model.Channel(), name="slow")


async def main_waits_in_clean_up(model):
    await waits_at_the_end(model.Channel(), model.Channel())


async def waits_at_the_end(one, two):
    try:
        await one.receive()
    finally:
        await two.receive()


# No deadlocks


async def sleeper(model, pause):
    channel = model.Channel()
    async with model.TaskGroup() as group:
        group.spawn(sleeps, model, channel, pause)
        return await channel.receive()


async def sleeps(model, channel, pause):
    await model.sleep(pause)
    await channel.send("help")


async def timed_task(model, pause):
    async with model.TaskGroup() as group:
        return await group.spawn(timed, model, pause).result()


async def timed(model, pause):
    try:
        await model.Channel().receive(timeout=pause)
    except TimeoutError:
        return "help"


async def computing_task(model, pause):
    channel = model.Channel()
    async with model.TaskGroup() as group:
        group.spawn(computes, model, channel, pause)
        return await channel.receive()


async def computes(model, channel, pause):
    end = model.now() + pause
    while model.now() < end:
        pass
    await channel.send("help")


async def helped(model, helper):
    channel = model.Channel(1)
    helper(channel)
    return await channel.receive()


# Locks of the model's own


async def locked(model, lock, told):
    await lock.acquire()
    async with model.TaskGroup() as group:
        group.spawn(wants, lock, told, name="wants")
        group.spawn(fails, model)


async def locked_out(model, lock):
    await lock.acquire()
    await lock.acquire()  # main wanting


async def locked_out_in_group(model, lock):
    await lock.acquire()
    async with model.TaskGroup() as group:
        group.spawn(wants, lock, [], name="wants")
        await lock.acquire()  # body wanting


async def wants(lock, told):
    try:
        await lock.acquire()  # wanting
    except BaseException as error:
        told.append(error)
        raise


async def fails(model):
    await model.sleep(0.02)
    raise OSError("the disk is full")
