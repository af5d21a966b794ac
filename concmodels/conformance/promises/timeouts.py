"""Timeouts, everywhere in seconds, on the monotonic clock."""

import math
from decimal import Decimal
from fractions import Fraction

from concmodels.errors import ChannelClosed, TaskCancelled

from .tools import (
    BOUNDED,
    CAPACITIES,
    FOR_EVER,
    INF,
    PATIENCE,
    drain,
    promise,
    raises,
)

SHORT = 0.06
"""Seconds; a fraction, because who rounds it waits a second or not at all."""

TOO_LONG = 0.9
"""Seconds: wildly longer than SHORT, on a machine that is busy with other things too."""

NOT_LONG = 0.5
"""Seconds that no machine takes for an operation that does not wait."""

NO_NUMBERS = (math.nan, Decimal("nan"), "1", b"1", [1], 1j)
"""What is no number of seconds: the first two are a `ValueError`, the others a `TypeError`."""

NUMBERS = (Fraction(3, 50), Decimal("0.06"))
"""SHORT, as numbers of other kinds."""


def full(room, capacity):
    """A channel to which nothing can be sent."""
    channel = room.Channel(capacity)
    for number in range(capacity):
        channel.send_nowait(number)
    return channel


class takes:
    """The block must take about this many seconds."""

    def __init__(self, room, at_least, less_than):
        self.now, self.at_least, self.less_than = room.now, at_least, less_than

    def __enter__(self):
        self.start = self.now()

    def __exit__(self, kind, error, trace):
        if error is None:
            elapsed = self.now() - self.start
            assert self.at_least <= elapsed < self.less_than


@promise(capacity=CAPACITIES)
async def receive_times_out(room, capacity):
    """`timeout` is in seconds, may be fractional, raises the builtin `TimeoutError`: `receive`."""
    with takes(room, SHORT * 0.95, TOO_LONG), raises(TimeoutError):
        await room.Channel(capacity).receive(timeout=SHORT)


@promise(capacity=BOUNDED)
async def send_times_out(room, capacity):
    """`timeout` is in seconds, may be fractional, raises the builtin `TimeoutError`: `send`."""
    with takes(room, SHORT * 0.95, TOO_LONG), raises(TimeoutError):
        await full(room, capacity).send("item", timeout=SHORT)


@promise(timeout=(0, 0.0, -1, -0.5))
async def zero_never_waits(room, timeout):
    """A timeout of 0 never waits; negative counts as 0."""
    for capacity in CAPACITIES:
        with takes(room, 0, NOT_LONG), raises(TimeoutError):
            await room.Channel(capacity).receive(timeout)
    for capacity in BOUNDED:
        with takes(room, 0, NOT_LONG), raises(TimeoutError):
            await full(room, capacity).send("item", timeout)


@promise(timeout=(0, -1, 1e-9, 5, None, 1e9), capacity=(1, 3, INF))
async def what_need_not_wait_does_not_time_out(room, timeout, capacity):
    """A timeout bounds the waiting only: what is possible at once succeeds, whatever the timeout."""
    channel = room.Channel(capacity)
    with takes(room, 0, NOT_LONG):
        await channel.send("item", timeout)
        assert await channel.receive(timeout) == "item"


@promise(capacity=BOUNDED)
async def a_timed_out_send_has_not_delivered(room, capacity):
    """A timed-out send has not delivered."""
    channel = full(room, capacity)
    with raises(TimeoutError):
        await channel.send("never", timeout=0.01)
    assert drain(channel) == list(range(capacity))
    with raises(TimeoutError):
        await channel.receive(timeout=0.01)


@promise(capacity=CAPACITIES)
async def a_timed_out_receive_has_not_taken(room, capacity):
    """A timed-out receive has not taken."""
    channel = room.Channel(capacity)
    with raises(TimeoutError):
        await channel.receive(timeout=0.01)
    async with room.TaskGroup() as group:
        group.spawn(send_patiently, channel, "item")
        assert await channel.receive(PATIENCE) == "item"


async def send_patiently(channel, item):
    """Send with a timeout that does not strike."""
    await channel.send(item, PATIENCE)


async def send_hastily(channel, rounds, timeout):
    """Send numbers with a timeout that strikes now and then; return those that were accepted."""
    accepted = []
    for number in range(rounds):
        try:
            await channel.send(number, timeout)
            accepted.append(number)
        except TimeoutError:
            pass
    channel.close()
    return accepted


async def receive_hastily(channel, timeout):
    """Receive with a timeout that strikes now and then."""
    received = []
    while True:
        try:
            received.append(await channel.receive(timeout))
        except TimeoutError:
            pass
        except ChannelClosed:
            return received


@promise(capacity=BOUNDED)
async def a_timeout_that_races_a_partner_is_exact(room, effort, capacity):
    """A timed-out send has not delivered, a timed-out receive has not taken: also when both strike at once."""
    timeout = effort.hop
    channel = room.Channel(capacity)
    async with room.TaskGroup() as group:
        sender = group.spawn(send_hastily, channel, effort.items, timeout)
        receiver = group.spawn(receive_hastily, channel, timeout)
    assert await sender.result() == await receiver.result()


async def sleep_long(room):
    """Sleep until cancelled."""
    await room.sleep(FOR_EVER)


@promise(needs=("TaskGroup",))
async def result_times_out(room):
    """`Task.result(timeout)` raises `TimeoutError` when the task has not ended in time; the task goes on."""
    async with room.TaskGroup() as group:
        task = group.spawn(sleep_long, room)
        with takes(room, SHORT * 0.95, TOO_LONG), raises(TimeoutError):
            await task.result(timeout=SHORT)
        for timeout in (0, -1):
            with takes(room, 0, NOT_LONG), raises(TimeoutError):
                await task.result(timeout)
        assert not task.done()
        group.cancel()


# How long a sleep lasts.


class refuses:
    """The block must refuse what is no number of seconds, with a sentence about seconds that shows it."""

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


@promise(needs=("sleep",))
async def sleep_takes_its_time(room):
    """`sleep(seconds)` sleeps that long on the clock that `now` shows, and is not wildly late."""
    for seconds in (SHORT, *NUMBERS):
        with takes(room, SHORT * 0.95, TOO_LONG):
            await room.sleep(seconds)


@promise(needs=("sleep",), seconds=(0, False, -1, -0.5, -INF, Fraction(-1)))
async def sleep_of_nothing_does_not_wait(room, seconds):
    """`sleep(0)` does not wait; negative counts as 0."""
    with takes(room, 0, NOT_LONG):
        await room.sleep(seconds)


@promise(needs=("sleep",), seconds=(*NO_NUMBERS, None))
async def a_sleep_that_is_no_number_is_refused(room, seconds):
    """`sleep` of nan is a `ValueError`, of what is no number a `TypeError`, and nobody else is stopped by it."""
    async with room.TaskGroup() as group:
        other = group.spawn(answer_late, room)
        with refuses(seconds):
            await room.sleep(seconds)
        assert await other.result(PATIENCE) == "late"


async def answer_late(room):
    """Sleep a little, and return."""
    await room.sleep(0.001)
    return "late"


@promise(needs=("sleep",), seconds=(INF, 1e300))
async def sleep_may_last_for_ever(room, seconds):
    """`sleep(math.inf)`, or longer than any clock goes, lasts until it is cancelled; the others go on meanwhile."""
    async with room.TaskGroup() as group:
        task = group.spawn(room.sleep, seconds)
        assert await group.spawn(answer_late, room).result(PATIENCE) == "late"
        assert not task.done()
        task.cancel()
    with raises(TaskCancelled):
        await task.result()
