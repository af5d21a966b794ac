"""Random programs that use a pool while something cancels them: nobody may hear of the pool's end in the place of it.

Written with `await`; the sync models get this text without (`concmodels.conformance.sync`). Children import it.
"""

import signal

ENDINGS = ("group", "task", "scope", "limit", "SIGINT", "SIGTERM")
"""What cancels a program: a group around all, its one task, a scope or a time limit of the library, a signal."""

TURNS = 12
"""A program is cancelled after at most so many turns of its main task."""


async def answer(model, number, pause):
    """A call: the number, perhaps after a moment."""
    if pause is not None:
        await model.sleep(pause)
    return number


async def use(model, pool, draw, verb, told):
    """Use the pool again and again; tell what ends that, unless it is a cancellation or a signal."""
    pauses = [draw.choice((None, 0, 0.0001)) for _ in range(3)]
    try:
        while True:
            if verb == "map":
                async for _ in pool.map(answer, [model] * 3, range(3), pauses, buffersize=draw.choice((None, 2))):
                    pass
            else:
                calls = [await pool.submit(answer, model, *it) for it in enumerate(pauses)]
                for number, call in enumerate(calls):
                    assert await call.result() == number
    except Exception as error:
        told.send_nowait(repr(error))
        raise


async def own(model, draw, verb, pools, told):
    """Open a pool, hand it out to tasks outside, and use it in tasks inside and in the body."""
    async with model.Pool(draw.randint(1, 3)) as pool:
        pools.send_nowait(pool)
        async with model.TaskGroup() as group:
            for _ in range(draw.randint(0, 2)):
                group.spawn(use, model, pool, draw, verb, told)
            await use(model, pool, draw, verb, told)


async def play(model, draw, verb, told, strike):
    """Have tasks inside and outside of a pool use it, and strike after some turns."""
    pools = model.Channel(1)
    async with model.TaskGroup() as group:
        task = group.spawn(own, model, draw, verb, pools, told)
        pool = await pools.receive()
        for _ in range(draw.randint(0, 2)):
            group.spawn(use, model, pool, draw, verb, told)
        for _ in range(draw.randrange(TURNS)):
            await model.sleep(draw.choice((0, 0, 0.0001)))
        strike(group, task)
        await model.sleep(3600)


async def program(model, draw, ending, limit=None):
    """One program; return what its tasks were told in the place of their cancellation.

    `limit` makes a time limit of the library's own for so many seconds; one with a `cancel` is a scope, too.
    """
    told = model.Channel(float("inf"))
    verb = draw.choice(("submit", "map"))
    if ending == "limit":
        async with limit(draw.uniform(0.0, 0.003)):
            await play(model, draw, verb, told, _nothing)
    elif ending == "scope":
        async with limit(3600.0) as scope:
            await play(model, draw, verb, told, lambda group, task: scope.cancel())
    elif ending == "task":
        async with model.TaskGroup() as group:
            around = group.spawn(play, model, draw, verb, told, _nothing)
            for _ in range(draw.randrange(2 * TURNS)):
                await model.sleep(0)
            around.cancel()
    elif ending == "group":
        await play(model, draw, verb, told, lambda group, task: group.cancel())
    else:
        await play(model, draw, verb, told, lambda group, task: signal.raise_signal(signal.Signals[ending]))
    return [told.receive_nowait() for _ in range(len(told))]


def _nothing(group, task):
    """Do not strike: the program is cancelled from outside."""
