"""The bounded buffer: producers send into one channel of limited capacity, and consumers share what comes out of it.

What is measured is a channel that many use at once and that is often full, or empty. Every producer ends with a mark,
and every consumer ends at one. A mark is behind all that its producer has sent, so when the last mark is taken,
everything else has been.
"""

from time import perf_counter

from benchmarks.classics import Wrong
from benchmarks.classics._start import async_line_up, async_start, line_up, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.contract import AsyncChannel, Channel

SIZE = "items"
SIZES = {"light": 200_000, "threads": 100_000, "boundary": 100_000, "tiny": 10}
STEP = "an item"
PRODUCERS = CONSUMERS = 4
CAPACITY = 64
UNBOUNDED = float("inf")


def tasks(size: int) -> int:
    """Return the number of producers and consumers."""
    return PRODUCERS + CONSUMERS


def steps(size: int) -> int:
    """Return the number of items."""
    return size


def produce(first: int, stop: int, outbox: Channel[int | None], go: Channel[Any], reports: Channel[Any]) -> None:
    """Send this task's share of the numbers, and a mark."""
    line_up(go, reports)
    for number in range(first, stop, PRODUCERS):
        outbox.send(number)
    outbox.send(None)


def consume(inbox: Channel[int | None], go: Channel[Any], reports: Channel[Any]) -> None:
    """Receive up to a mark; report how many items came, and their sum."""
    line_up(go, reports)
    count = total = 0
    for number in inbox:
        if number is None:
            break
        count += 1
        total += number
    reports.send((count, total))


def main(model: Any, size: int) -> float:
    """Return the seconds that `size` items take."""
    items = model.Channel(CAPACITY, "items")
    go, reports = model.Channel(UNBOUNDED, "go"), model.Channel(UNBOUNDED, "reports")
    with model.TaskGroup() as group:
        for _ in range(CONSUMERS):
            group.spawn(consume, items, go, reports)
        for first in range(PRODUCERS):
            group.spawn(produce, first, size, items, go, reports)
        started = start(go, reports, PRODUCERS + CONSUMERS)
        came = [reports.receive() for _ in range(CONSUMERS)]
        took = perf_counter() - started
    sums = tuple(map(sum, zip(*came, strict=True)))
    if sums != (size, size * (size - 1) // 2):
        raise Wrong(f"{size:,} items were sent; the consumers' numbers and sums of items are {came}")
    return took


async def async_produce(
    first: int, stop: int, outbox: AsyncChannel[int | None], go: AsyncChannel[Any], reports: AsyncChannel[Any]
) -> None:
    """The async form of `produce`."""
    await async_line_up(go, reports)
    for number in range(first, stop, PRODUCERS):
        await outbox.send(number)
    await outbox.send(None)


async def async_consume(inbox: AsyncChannel[int | None], go: AsyncChannel[Any], reports: AsyncChannel[Any]) -> None:
    """The async form of `consume`."""
    await async_line_up(go, reports)
    count = total = 0
    async for number in inbox:
        if number is None:
            break
        count += 1
        total += number
    await reports.send((count, total))


async def async_main(model: Any, size: int) -> float:
    """The async form of `main`."""
    items = model.Channel(CAPACITY, "items")
    go, reports = model.Channel(UNBOUNDED, "go"), model.Channel(UNBOUNDED, "reports")
    async with model.TaskGroup() as group:
        for _ in range(CONSUMERS):
            group.spawn(async_consume, items, go, reports)
        for first in range(PRODUCERS):
            group.spawn(async_produce, first, size, items, go, reports)
        started = await async_start(go, reports, PRODUCERS + CONSUMERS)
        came = [await reports.receive() for _ in range(CONSUMERS)]
        took = perf_counter() - started
    sums = tuple(map(sum, zip(*came, strict=True)))
    if sums != (size, size * (size - 1) // 2):
        raise Wrong(f"{size:,} items were sent; the consumers' numbers and sums of items are {came}")
    return took
