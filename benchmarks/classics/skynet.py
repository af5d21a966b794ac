"""Skynet: a task starts ten tasks, each of which starts ten, and so on; the leaves send their number, all is summed up.

What is measured is how fast tasks start, finish, and send one message each; starting them is part of the work.
"""

from time import perf_counter

from benchmarks.classics import Wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.contract import AsyncChannel, Channel

SIZE = "levels below the caller"
SIZES = {"light": 4, "threads": 3, "boundary": 1, "tiny": 1}
STEP = "a task"
BRANCHES = 10


def tasks(size: int) -> int:
    """Return the number of tasks: ten on the first level, a hundred on the second, and so on."""
    return sum(BRANCHES**level for level in range(1, size + 1))


def steps(size: int) -> int:
    """Return the number of tasks."""
    return tasks(size)


def grow(model: Any, outbox: Channel[int], number: int, leaves: int) -> None:
    """Send this number or, if there is more than one leaf below, the sum of the leaves."""
    if leaves == 1:
        outbox.send(number)
        return
    sums, each, total = model.Channel(BRANCHES, "sums"), leaves // BRANCHES, 0
    with model.TaskGroup() as group:
        for branch in range(BRANCHES):
            group.spawn(grow, model, sums, number + branch * each, each)
        for _ in range(BRANCHES):
            total += sums.receive()
    outbox.send(total)


def main(model: Any, size: int) -> float:
    """Return the seconds of a tree with so many levels."""
    leaves, result = BRANCHES**size, model.Channel(1, "result")
    started = perf_counter()
    grow(model, result, 0, leaves)
    total = result.receive()
    took = perf_counter() - started
    if total != leaves * (leaves - 1) // 2:
        raise Wrong(f"{leaves:,} leaves came to {total:,}")
    return took


async def async_grow(model: Any, outbox: AsyncChannel[int], number: int, leaves: int) -> None:
    """The async form of `grow`."""
    if leaves == 1:
        await outbox.send(number)
        return
    sums, each, total = model.Channel(BRANCHES, "sums"), leaves // BRANCHES, 0
    async with model.TaskGroup() as group:
        for branch in range(BRANCHES):
            group.spawn(async_grow, model, sums, number + branch * each, each)
        for _ in range(BRANCHES):
            total += await sums.receive()
    await outbox.send(total)


async def async_main(model: Any, size: int) -> float:
    """The async form of `main`."""
    leaves, result = BRANCHES**size, model.Channel(1, "result")
    started = perf_counter()
    await async_grow(model, result, 0, leaves)
    total = await result.receive()
    took = perf_counter() - started
    if total != leaves * (leaves - 1) // 2:
        raise Wrong(f"{leaves:,} leaves came to {total:,}")
    return took
