"""Pools that only Ctrl-C ends, async; `plain_pools.py` has the other."""

FOR_EVER = 3600


def must_be(seen, due):
    """Check a result, at the end of a loop.

    An `assert` must not stand there: the jump back behind a condition is in no `with` for CPython, so Ctrl-C in that
    moment would leave the loop without leaving the pool (https://github.com/python/cpython/issues/130279).
    """
    assert seen == due


async def wait_for_ever(model):
    """A task that waits meanwhile."""
    await model.sleep(FOR_EVER)


async def double(number):
    """A task that is done at once."""
    return 2 * number


async def main_waits(model, where, press):
    """The main task waits for what a pool never ends; where "leave" is said, at the end of the `with`."""
    press()
    async with model.Pool(2) as pool:
        call = await pool.submit(wait_for_ever, model)
        if where == "result":
            await call.result()
        elif where == "map":
            async for _ in pool.map(wait_for_ever, [model] * 5):
                pass
        elif where == "shutdown":
            await pool.shutdown()


async def main_maps(model, press):
    """The main task has a pool do small things, and takes the results."""
    press()
    async with model.Pool(2) as pool:
        while True:
            due = 0
            async for number in pool.map(double, range(500), buffersize=100):
                assert number == due
                due += 2
            must_be(due, 1000)


async def main_submits(model, press):
    """The main task has a pool do one small thing after the other."""
    press()
    async with model.Pool(2) as pool:
        while True:
            calls = [await pool.submit(double, number) for number in range(20)]
            must_be([await call.result() for call in calls], list(range(0, 40, 2)))


async def main_makes_pools(model, press):
    """The main task makes a pool, uses it once, and leaves it."""
    press()
    while True:
        async with model.Pool(2) as pool:
            call = await pool.submit(double, 1)
            assert await call.result() == 2
