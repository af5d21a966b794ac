"""Fork-join, throughput: the caller deals out messages to workers in turn, each of which computes a little with them.

What is measured is how fast one sender feeds many receivers, each through a channel of its own.
"""

from time import perf_counter

from benchmarks.classics import Wrong
from benchmarks.classics._start import async_line_up, async_start, line_up, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.contract import AsyncChannel, Channel

SIZE = "messages to each worker"
SIZES = {"light": 20_000, "threads": 50_000, "boundary": 20_000, "tiny": 3}
STEP = "a message"
WORKERS = 10
UNBOUNDED = float("inf")


def tasks(size: int) -> int:
    """Return the number of workers."""
    return WORKERS


def steps(size: int) -> int:
    """Return the number of messages."""
    return WORKERS * size


def work(inbox: Channel[int], go: Channel[Any], reports: Channel[Any]) -> None:
    """Compute with each message until the channel ends; report the sum."""
    line_up(go, reports)
    total = 0
    for number in inbox:
        total += number * number % 7
    reports.send(total)


def main(model: Any, size: int) -> float:
    """Return the seconds that the workers take."""
    inboxes = [model.Channel(UNBOUNDED, f"inbox {number}") for number in range(WORKERS)]
    go, reports = model.Channel(UNBOUNDED, "go"), model.Channel(UNBOUNDED, "reports")
    with model.TaskGroup() as group:
        for inbox in inboxes:
            group.spawn(work, inbox, go, reports)
        started = start(go, reports, WORKERS)
        for number in range(size):
            for inbox in inboxes:
                inbox.send(number)
        for inbox in inboxes:
            inbox.close()
        sums = [reports.receive() for _ in range(WORKERS)]
        took = perf_counter() - started
    if sums != [sum(number * number % 7 for number in range(size))] * WORKERS:
        raise Wrong(f"the workers did not all get the same {size:,} numbers: their sums are {sums}")
    return took


async def async_work(inbox: AsyncChannel[int], go: AsyncChannel[Any], reports: AsyncChannel[Any]) -> None:
    """The async form of `work`."""
    await async_line_up(go, reports)
    total = 0
    async for number in inbox:
        total += number * number % 7
    await reports.send(total)


async def async_main(model: Any, size: int) -> float:
    """The async form of `main`."""
    inboxes = [model.Channel(UNBOUNDED, f"inbox {number}") for number in range(WORKERS)]
    go, reports = model.Channel(UNBOUNDED, "go"), model.Channel(UNBOUNDED, "reports")
    async with model.TaskGroup() as group:
        for inbox in inboxes:
            group.spawn(async_work, inbox, go, reports)
        started = await async_start(go, reports, WORKERS)
        for number in range(size):
            for inbox in inboxes:
                await inbox.send(number)
        for inbox in inboxes:
            inbox.close()
        sums = [await reports.receive() for _ in range(WORKERS)]
        took = perf_counter() - started
    if sums != [sum(number * number % 7 for number in range(size))] * WORKERS:
        raise Wrong(f"the workers did not all get the same {size:,} numbers: their sums are {sums}")
    return took
