"""Timeouts: the limits of waits, and `sleep`; both are in seconds, on the monotonic clock."""

import math
from decimal import Decimal
from fractions import Fraction

from concmodels.errors import ChannelClosed, TaskCancelled
from concmodels.platform.measuring import held_up

from .tools import (
    BOUNDED,
    CAPACITIES,
    FOR_EVER,
    INF,
    PATIENCE,
    drain,
    guarantee,
    raises,
)

SHORT = 0.06
"""Seconds; a fraction, because who rounds it waits a second or not at all."""

TOO_LONG = 0.9
"""Seconds: wildly longer than SHORT."""

NOT_LONG = 0.5
"""Seconds that no machine takes for an operation that does not wait."""

NO_NUMBERS = (math.nan, Decimal("nan"), "1", b"1", [1], 1j)
"""What is no number of seconds: the first two are a `ValueError`, the others a `TypeError`."""

NUMBERS = (Fraction(3, 50), Decimal("0.06"))
"""SHORT, as numbers of other kinds."""


def full(model, capacity):
    """Return a channel to which nothing can be sent."""
    channel = model.Channel(capacity)
    for number in range(capacity):
        channel.send_nowait(number)
    return channel


class takes:
    """`with takes(...)` fails unless its block takes about so many seconds.

    The upper limit is for the model: time in which anything on the machine waited for a processor is added to it.
    """

    def __init__(self, model, at_least, less_than):
        self.now, self.at_least, self.less_than = model.now, at_least, less_than

    def __enter__(self):
        self.start, self.held_up = self.now(), held_up()

    def __exit__(self, kind, error, trace):
        if error is None:
            elapsed = self.now() - self.start
            assert self.at_least <= elapsed < self.less_than + held_up() - self.held_up


@guarantee(capacity=CAPACITIES)
async def receive_times_out(model, capacity):
    """`receive` raises the builtin `TimeoutError` after `timeout` seconds, which may be a fraction."""
    with takes(model, SHORT * 0.95, TOO_LONG), raises(TimeoutError):
        await model.Channel(capacity).receive(timeout=SHORT)


@guarantee(capacity=BOUNDED)
async def send_times_out(model, capacity):
    """`send` raises the builtin `TimeoutError` after `timeout` seconds, which may be a fraction."""
    with takes(model, SHORT * 0.95, TOO_LONG), raises(TimeoutError):
        await full(model, capacity).send("item", timeout=SHORT)


@guarantee(timeout=(0, 0.0, -1, -0.5))
async def zero_never_waits(model, timeout):
    """A timeout of 0 never waits; a negative one counts as 0."""
    for capacity in CAPACITIES:
        with takes(model, 0, NOT_LONG), raises(TimeoutError):
            await model.Channel(capacity).receive(timeout)
    for capacity in BOUNDED:
        with takes(model, 0, NOT_LONG), raises(TimeoutError):
            await full(model, capacity).send("item", timeout)


@guarantee(timeout=(0, -1, 1e-9, 5, None, 1e9), capacity=(1, 3, INF))
async def what_need_not_wait_does_not_time_out(model, timeout, capacity):
    """A timeout limits only the waiting: an operation that is possible at once succeeds, whatever its timeout."""
    channel = model.Channel(capacity)
    with takes(model, 0, NOT_LONG):
        await channel.send("item", timeout)
        assert await channel.receive(timeout) == "item"


@guarantee(capacity=BOUNDED)
async def a_timed_out_send_has_not_delivered(model, capacity):
    """A `send` that timed out has not sent its item."""
    channel = full(model, capacity)
    with raises(TimeoutError):
        await channel.send("never", timeout=0.01)
    assert drain(channel) == list(range(capacity))
    with raises(TimeoutError):
        await channel.receive(timeout=0.01)


@guarantee(capacity=CAPACITIES)
async def a_timed_out_receive_has_not_taken(model, capacity):
    """A `receive` that timed out has taken no item."""
    channel = model.Channel(capacity)
    with raises(TimeoutError):
        await channel.receive(timeout=0.01)
    async with model.TaskGroup() as group:
        group.spawn(send_patiently, channel, "item")
        assert await channel.receive(PATIENCE) == "item"


async def send_patiently(channel, item):
    """Send with a timeout that is long enough."""
    await channel.send(item, PATIENCE)


async def send_hastily(model, channel, rounds, timeout):
    """Send numbers with a timeout that is sometimes too short; return the numbers that were accepted."""
    accepted = []
    for number in range(rounds):
        if number % 3 == 0:
            await model.sleep(timeout)  # now and then it is the receiver that has to wait
        try:
            await channel.send(number, timeout)
            accepted.append(number)
        except TimeoutError:
            pass
    channel.close()
    return accepted


async def receive_hastily(channel, timeout):
    """Receive with a timeout that is sometimes too short."""
    received = []
    while True:
        try:
            received.append(await channel.receive(timeout))
        except TimeoutError:
            pass
        except ChannelClosed:
            return received


@guarantee(capacity=BOUNDED)
async def a_timeout_that_races_a_partner_is_exact(model, effort, capacity):
    """A timed-out `send` has not sent and a timed-out `receive` has not taken, even if a partner comes at that
    moment."""
    timeout = effort.hop
    channel = model.Channel(capacity)
    async with model.TaskGroup() as group:
        sender = group.spawn(send_hastily, model, channel, effort.items, timeout)
        receiver = group.spawn(receive_hastily, channel, timeout)
    assert await sender.result() == await receiver.result()


async def sleep_long(model):
    """Sleep until cancelled."""
    await model.sleep(FOR_EVER)


@guarantee(needs=("TaskGroup",))
async def result_times_out(model):
    """`Task.result(timeout)` raises `TimeoutError` if the task has not ended in time; the task goes on."""
    async with model.TaskGroup() as group:
        task = group.spawn(sleep_long, model)
        with takes(model, SHORT * 0.95, TOO_LONG), raises(TimeoutError):
            await task.result(timeout=SHORT)
        for timeout in (0, -1):
            with takes(model, 0, NOT_LONG), raises(TimeoutError):
                await task.result(timeout)
        assert not task.done()
        group.cancel()


# How long a sleep lasts.


class refuses:
    """`with refuses(...)` fails unless its block refuses a timeout with a sentence about seconds that shows the
    value."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.due = raises(TypeError if seconds == seconds else ValueError)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        as_due = self.due.__exit__(kind, error, trace)
        if as_due:
            assert "a number of seconds" in str(error) and repr(self.seconds) in str(error), str(error)
        return as_due


@guarantee(needs=("sleep",))
async def sleep_takes_its_time(model):
    """`sleep(seconds)` sleeps for that time on the clock of `now`, and not much longer."""
    for seconds in (SHORT, *NUMBERS):
        with takes(model, SHORT * 0.95, TOO_LONG):
            await model.sleep(seconds)


@guarantee(needs=("sleep",), seconds=(0, False, -1, -0.5, -INF, Fraction(-1)))
async def sleep_of_nothing_does_not_wait(model, seconds):
    """`sleep(0)` does not wait; a negative number counts as 0."""
    with takes(model, 0, NOT_LONG):
        await model.sleep(seconds)


@guarantee(needs=("sleep",), seconds=(*NO_NUMBERS, None))
async def a_sleep_that_is_no_number_is_refused(model, seconds):
    """`sleep` raises `ValueError` for nan and `TypeError` for anything that is not a number; other tasks are not
    affected.
    """
    async with model.TaskGroup() as group:
        other = group.spawn(answer_late, model)
        with refuses(seconds):
            await model.sleep(seconds)
        assert await other.result(PATIENCE) == "late"


async def answer_late(model):
    """Sleep a little, and return."""
    await model.sleep(0.001)
    return "late"


@guarantee(needs=("sleep",), seconds=(INF, 1e300))
async def sleep_may_last_for_ever(model, seconds):
    """`sleep(math.inf)`, or a sleep longer than any clock can count, lasts until the task is cancelled; other tasks go
    on."""
    async with model.TaskGroup() as group:
        task = group.spawn(model.sleep, seconds)
        assert await group.spawn(answer_late, model).result(PATIENCE) == "late"
        assert not task.done()
        task.cancel()
    with raises(TaskCancelled):
        await task.result()
