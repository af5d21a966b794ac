"""Programs of the vocabulary that are right, that are wrong, and that can't be explored."""

import itertools
import os
import random

from concmodels import load

sim = load("sim")
survives = []
numbers = itertools.count()


def philosophers(count=3):
    """Each takes the left fork, then the right one: they can all be waiting."""
    forks = [sim.Channel(1, f"fork {number}") for number in range(count)]
    for fork in forks:
        fork.send("fork")
    with sim.TaskGroup() as group:
        for seat in range(count):
            group.spawn(dine, forks[seat], forks[(seat + 1) % count], name=f"philosopher {seat}")


def polite_philosophers(count=3):
    """The last one takes the right fork first."""
    forks = [sim.Channel(1, f"fork {number}") for number in range(count)]
    for fork in forks:
        fork.send("fork")
    with sim.TaskGroup() as group:
        for seat in range(count):
            left, right = forks[seat], forks[(seat + 1) % count]
            both = (left, right) if seat < count - 1 else (right, left)
            group.spawn(dine, *both, name=f"philosopher {seat}")


def dine(first, second):
    one = first.receive()
    other = second.receive()
    first.send(one)
    second.send(other)


def first_of_two(items=("a", "b")):
    """Which of two senders is first is not decided."""
    channel = sim.Channel()
    with sim.TaskGroup() as group:
        for item in items:
            group.spawn(channel.send, item)
        found = channel.receive()
        channel.receive()
    return found


async def first_of_two_awaited():
    model = load("sim:async")
    channel = model.Channel()
    async with model.TaskGroup() as group:
        for item in ("a", "b"):
            group.spawn(channel.send, item)
        found = await channel.receive()
        await channel.receive()
    return found


async def lost_update_awaited():
    """Between the read and the write there is an await, and so another task may come."""
    model = load("sim:async")
    count = 0

    async def visit():
        nonlocal count
        seen = count
        await model.sleep(0)
        count = seen + 1

    async with model.TaskGroup() as group:
        group.spawn(visit)
        group.spawn(visit)
    assert count == 2


async def no_update_lost_awaited():
    """It looks guilty, and is not: between the read and the write there is no await."""
    model = load("sim:async")
    count = 0

    async def visit():
        nonlocal count
        await model.sleep(0)
        seen = count
        count = seen + 1

    async with model.TaskGroup() as group:
        group.spawn(visit)
        group.spawn(visit)
    assert count == 2


def fails_in_a_group():
    with sim.TaskGroup() as group:
        group.spawn(divide, 0)


def divide(number):
    return 1 // number


def seeded_by_explore():
    """`random` is seeded for each run, so this repeats itself."""
    return [random.random() for _ in range(3)]


def draws_by_itself():
    with sim.TaskGroup() as group:
        for _ in range(1 + os.urandom(1)[0]):
            group.spawn(sim.sleep, 0)


def leaves_something():
    survives.append(1)
    assert len(survives) == 1


def counts_on():
    """Another one of each schedule gives another number, in a variable that is not plain data."""
    return next(numbers)


def polls(channel=None):
    """It waits by looking again and again, which a schedule can have it do for ever."""
    channel = sim.Channel(1)
    with sim.TaskGroup() as group:
        group.spawn(channel.send, 1)
        while not len(channel):
            sim.sleep(0)


def computes_for_ever():
    sim.sleep(0)
    number = 0
    while True:
        number += 1


def computes_between_steps():
    def work():
        for _ in range(20):
            sim.sleep(0)
            sum(range(200_000))

    with sim.TaskGroup() as group:
        group.spawn(work)
        group.spawn(work)


def leaves():
    raise SystemExit(0)


def pools():
    """What a pool is asked for is there, whether the worker or main is first."""
    with sim.Pool(2) as pool:
        return pool.submit(divide, 2).result()


def cancels_in_a_pool():
    """Whether the worker has begun by then is not decided."""
    with sim.Pool(1) as pool:
        return pool.submit(divide, 2).cancel()


def maps():
    with sim.Pool(1) as pool:
        return tuple(pool.map(divide, [1, 2]))


async def pools_awaited():
    model = load("sim:async")
    async with model.Pool(2) as pool:
        call = await pool.submit(divide, 2)
        return await call


async def maps_awaited():
    model = load("sim:async")
    async with model.Pool(1) as pool:
        return tuple([it async for it in pool.map(divide, [1, 2])])
