"""What nearly everybody writes once, as small programs, each with the sentence that it is to get.

The programs of a sync model take the model; those of an async one are the same with `async` and `await`.
"""

import threading

from concmodels import AsyncChannel, Channel


def nothing(*_):
    """A task that is right."""


async def async_nothing(*_):
    """The same for an async model."""


def spawn_called(model):
    with model.TaskGroup() as group:
        group.spawn(nothing(1))


def spawn_async(model):
    with model.TaskGroup() as group:
        group.spawn(async_nothing, 1)


def send_to_closed(model):
    with model.Channel(1, "numbers") as channel:
        channel.close()
        channel.send(1)


def receive_too_long(model):
    model.Channel(1, "numbers").receive(timeout=0.001)


def send_nobody_takes(model):
    model.Channel(0, "numbers").send(1, timeout=0)


def group_too_long(model):
    with model.TaskGroup(timeout=0.001):
        model.sleep(60)


def spawn_lambda(model):
    with model.TaskGroup() as group:
        group.spawn(lambda: 1)


def spawn_nested(model):
    def nested():
        return 1

    with model.TaskGroup() as group:
        group.spawn(nested)


def pass_group(model):
    with model.TaskGroup() as group:
        group.spawn(nothing, group)


def pass_lock(model):
    with model.TaskGroup() as group:
        group.spawn(nothing, threading.Lock())


def send_lock(model):
    model.Channel(1, "locks").send(threading.RLock())


async def async_spawn_called(model):
    async with model.TaskGroup() as group:
        group.spawn(async_nothing(1))


async def async_spawn_plain(model):
    async with model.TaskGroup() as group:
        group.spawn(nothing, 1)


async def iterate_plainly(model):
    for _ in model.Channel(1, "numbers"):
        pass


async def async_send_to_closed(model):
    channel = model.Channel(1, "numbers")
    channel.close()
    await channel.send(1)


async def async_receive_too_long(model):
    await model.Channel(1, "numbers").receive(timeout=0.001)


async def async_group_too_long(model):
    async with model.TaskGroup(timeout=0.001):
        await model.sleep(60)


def fails(*_):
    raise ValueError("no such number")


async def async_fails(*_):
    raise ValueError("no such number")


def task_fails(model):
    with model.TaskGroup() as group:
        group.spawn(fails, 1)


async def async_task_fails(model):
    async with model.TaskGroup() as group:
        group.spawn(async_fails, 1)


async def forget_to_await_send(model):
    channel = model.Channel(1, "numbers")
    channel.send(1)


async def forget_to_await_receive(model):
    channel = model.Channel(1, "numbers")
    await channel.send(1)
    item = channel.receive()
    return str(type(item))


async def forget_in_a_task(model):
    async with model.TaskGroup() as group:
        group.spawn(forget_to_await_receive, model)


async def forget_to_await_and_use(model):
    channel = model.Channel(1, "numbers")
    await channel.send(1)
    item = channel.receive()
    return item + 1


async def forget_one_of_two(model):
    channel = model.Channel(2, "numbers")
    item = channel.receive()
    await channel.send(1)
    await passed(channel.receive())
    return item + 1


async def forget_the_second(model):
    channel = model.Channel(2, "numbers")
    await channel.send(1)
    channel.send(2)
    await passed(channel.send(3))
    return await channel.receive()


async def passed(awaitable):
    return await awaitable


async def keep_a_parameter(awaitable):
    raise ValueError("before it is awaited")


async def await_too_late(model):
    later = model.Channel(1, "numbers").receive()
    fails()
    await later


UNAWAITED = {
    forget_the_second: (3, "send was not awaited, so it has done nothing: write `await channel.send(2)`"),
    forget_to_await_send: (2, "send was not awaited, so it has done nothing: write `await channel.send(1)`"),
    forget_to_await_receive: (3, "receive was not awaited, so it has done nothing: write `await channel.receive()`"),
}
"""The line of the mistake in the function, and what is told."""

NO_GUARD = """\
import sys
from concmodels import load

model = load(sys.argv[1])


def show(channel):
    print(channel.receive())


def main():
    channel = model.Channel(8)
    with model.TaskGroup() as group:
        group.spawn(show, channel)
        channel.send(1)


model.run(main)
"""
"""A program that begins to run when it is imported."""

GUARD_AFTER = f"""\
{NO_GUARD}
if __name__ == "__main__":
    print("done")
"""
"""The same with a guard that comes too late."""

UNGUARDED = {
    NO_GUARD: "CannotTravel: the function (show) can't travel to another process or interpreter: 'show' is in the "
    "main program, which the other side imports, and so would start again: write `if __name__ == '__main__':` before "
    "the call of run",
    GUARD_AFTER: "CannotTravel: the call of task 'show-1' can't be unpickled where it arrives: the main program calls "
    "run when it is imported here: write `if __name__ == '__main__':` before it",
}

SYNC = {
    "run(main())": (
        lambda model: model.run(nothing(model)),
        "TypeError: run takes the function itself, not None: write run(main), not run(main())",
    ),
    "run(async main)": (
        lambda model: model.run(async_nothing, model),
        "TypeError: async_nothing is an `async def` function, and NAME is a sync model: write `def`, or load an async",
    ),
    "spawn(f(x))": (
        spawn_called,
        "TypeError: spawn takes the function itself, not None: write spawn(f, x), not spawn(",
    ),
    "spawn(async f)": (spawn_async, "TypeError: async_nothing is an `async def` function, and NAME is a sync model"),
    "Channel(8)": (
        lambda model: Channel(8),
        "TypeError: Channel is a type, for annotations: a channel is made by model.Channel(...)",
    ),
    "send after close": (send_to_closed, "ChannelClosed: send on channel 'numbers': it is closed"),
    "nothing comes": (receive_too_long, "TimeoutError: receive on channel 'numbers' timed out"),
    "nobody takes": (send_nobody_takes, "TimeoutError: send on channel 'numbers' would have to wait"),
    "a group takes too long": (group_too_long, "TimeoutError: the group has not ended in 0.001 s, so it was cancelled"),
}
"""By name: a main function (or, if it calls `run` itself, a lambda), and how the last line of what is printed begins.

NAME stands for the name of the model.
"""

BOUNDARY = {
    "a lambda": (spawn_lambda, "CannotTravel: the function (spawn_lambda.<locals>.<lambda>) can't travel"),
    "a nested function": (spawn_nested, "CannotTravel: the function (spawn_nested.<locals>.nested) can't travel"),
    "a group as an argument": (pass_group, "CannotTravel: argument 1 (a TaskGroup) can't travel"),
    "a lock as an argument": (pass_lock, "CannotTravel: argument 1 (a lock) can't travel"),
    "a lock as an item": (send_lock, "CannotTravel: a RLock can't travel through this channel: a lock guards only"),
}

ASYNC = {
    "run(main())": (
        lambda model: model.run(async_nothing(model)),
        "TypeError: run takes the function itself, not a coroutine of async_nothing: write run(main), not run(main())",
    ),
    "run(plain main)": (
        lambda model: model.run(nothing, model),
        "TypeError: nothing is no `async def` function, and NAME is an async model: write `async def`, or load a sync",
    ),
    "run(lambda)": (
        lambda model: model.run(lambda: 1),
        "TypeError: <lambda>.<locals>.<lambda> is no `async def` function, and NAME is an async model: write `async",
    ),
    "spawn(f(x))": (
        async_spawn_called,
        "TypeError: spawn takes the function itself, not a coroutine of async_nothing: write spawn(f, x), not spawn(",
    ),
    "spawn(plain f)": (async_spawn_plain, "TypeError: nothing is no `async def` function, and NAME is an async model"),
    "for": (iterate_plainly, "TypeError: a channel of an async model is received from by `async for item in channel`"),
    "Channel(8)": (
        lambda model: AsyncChannel(8),
        "TypeError: AsyncChannel is a type, for annotations: a channel is made by model.Channel(...)",
    ),
    "send after close": (async_send_to_closed, "ChannelClosed: send on channel 'numbers': it is closed"),
    "nothing comes": (async_receive_too_long, "TimeoutError: receive on channel 'numbers' timed out"),
    "a group takes too long": (
        async_group_too_long,
        "TimeoutError: the group has not ended in 0.001 s, so it was cancelled",
    ),
}
