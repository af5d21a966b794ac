"""Timeouts that are no number of seconds, or one of an unusual kind, on every verb that waits.

Text for async models, of `test_values.py`; the sync ones get it without `await`.
"""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import product

from concmodels.conformance.guarantees.timeouts import NO_NUMBERS, SHORT, TOO_LONG, takes

SOON = (SHORT, Fraction(3, 50), Decimal("0.06"))
NEVER = (math.inf, 1e300, Fraction(10**12), Decimal("Infinity"))


async def waits(model):
    """Yield, for every verb that may wait, a function that does so for a given time."""
    for capacity in (0, 1, math.inf):
        empty = model.Channel(capacity)
        yield empty.receive
        yield lambda timeout, empty=empty: model.select(empty, timeout=timeout)
    for capacity in (0, 1):
        full = model.Channel(capacity)
        if capacity:
            full.send_nowait("fills it")
        yield lambda timeout, full=full: full.send("item", timeout)
    async with model.TaskGroup() as group:
        yield group.spawn(model.sleep, 3600).result
        group.cancel()


async def caught(wait, timeout):
    """Return what this wait raises."""
    try:
        await wait(timeout)
    except (TimeoutError, TypeError, ValueError) as error:
        return error
    raise AssertionError("nothing was raised")


async def refuse(model):
    """What is no number is refused with a sentence that shows it."""
    async for wait in waits(model):
        for timeout in NO_NUMBERS:
            error = await caught(wait, timeout)
            assert type(error) is (TypeError if timeout == timeout else ValueError), error
            assert str(error) == f"a timeout is a number of seconds, or None, not {timeout!r}"


async def strike(model):
    """Any real number is a timeout."""
    async for wait in waits(model):
        for timeout in SOON:
            with takes(model, SHORT * 0.95, TOO_LONG):
                assert type(await caught(wait, timeout)) is TimeoutError


async def never_strike(model):
    """A timeout may be longer than any clock goes: then it never strikes."""
    for timeout, capacity in zip(NEVER, (0, 1, math.inf, 0), strict=True):
        await wait_long_enough(model, timeout, capacity)


async def never_strike_with_any_capacity(model):
    """As `never_strike`, each with each capacity."""
    for timeout, capacity in product(NEVER, (0, 1, math.inf)):
        await wait_long_enough(model, timeout, capacity)


async def wait_long_enough(model, timeout, capacity):
    """Wait with this timeout, on each verb, for what comes after a while."""
    channel = model.Channel(capacity)
    async with model.TaskGroup() as group:
        group.spawn(send_late, model, channel, timeout)
        assert await channel.receive(timeout) == "first"
        assert (await model.select(channel, timeout=timeout)).item == "second"
        task = group.spawn(model.sleep, 0.01)
        assert await task.result(timeout) is None


async def send_late(model, channel, timeout):
    """Send when somebody has waited for it for a while."""
    for item in ("first", "second"):
        await model.sleep(0.005)
        await channel.send(item, timeout)
