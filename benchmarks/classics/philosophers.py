"""The dining philosophers: five of them around a table, a fork between any two, and everyone needs both of his.

A fork is a channel that holds one item while the fork lies on the table: who receives the item has the fork. The item
counts how often it was used. Everyone takes the fork with the smaller number first, so there is always one who can eat.
What is measured is how tasks wait for each other in a knot.
"""

from time import perf_counter

from benchmarks.classics import Wrong
from benchmarks.classics._start import async_line_up, async_start, line_up, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.contract import AsyncChannel, Channel

SIZE = "meals of each philosopher"
SIZES = {"light": 20_000, "threads": 20_000, "boundary": 10_000, "tiny": 3}
STEP = "a meal"
SEATS = 5
UNBOUNDED = float("inf")


def tasks(size: int) -> int:
    """Return the number of philosophers."""
    return SEATS


def steps(size: int) -> int:
    """Return the number of meals."""
    return SEATS * size


def dine(meals: int, one: Channel[int], other: Channel[int], *ends: Channel[Any]) -> None:
    """Take both forks, eat, and put them back, so many times."""
    go, done = ends
    line_up(go, done)
    for _ in range(meals):
        uses, others_uses = one.receive(), other.receive()
        other.send(others_uses + 1)
        one.send(uses + 1)
    done.send(None)


def main(model: Any, size: int) -> float:
    """Return the seconds of a dinner."""
    forks = [model.Channel(1, f"fork {number}") for number in range(SEATS)]
    ends = [model.Channel(UNBOUNDED, name) for name in ("go", "done")]
    go, done = ends
    for fork in forks:
        fork.send(0)
    with model.TaskGroup() as group:
        for seat in range(SEATS):
            first, second = sorted((seat, (seat + 1) % SEATS))
            group.spawn(dine, size, forks[first], forks[second], *ends)
        started = start(go, done, SEATS)
        for _ in range(SEATS):
            done.receive()
        took = perf_counter() - started
        uses = [fork.receive() for fork in forks]
    if uses != [2 * size] * SEATS:
        raise Wrong(f"after {size:,} meals of all who share a fork, they were used {uses} times")
    return took


async def async_dine(meals: int, one: AsyncChannel[int], other: AsyncChannel[int], *ends: AsyncChannel[Any]) -> None:
    """The async form of `dine`."""
    go, done = ends
    await async_line_up(go, done)
    for _ in range(meals):
        uses, others_uses = await one.receive(), await other.receive()
        await other.send(others_uses + 1)
        await one.send(uses + 1)
    await done.send(None)


async def async_main(model: Any, size: int) -> float:
    """The async form of `main`."""
    forks = [model.Channel(1, f"fork {number}") for number in range(SEATS)]
    ends = [model.Channel(UNBOUNDED, name) for name in ("go", "done")]
    go, done = ends
    for fork in forks:
        await fork.send(0)
    async with model.TaskGroup() as group:
        for seat in range(SEATS):
            first, second = sorted((seat, (seat + 1) % SEATS))
            group.spawn(async_dine, size, forks[first], forks[second], *ends)
        started = await async_start(go, done, SEATS)
        for _ in range(SEATS):
            await done.receive()
        took = perf_counter() - started
        uses = [await fork.receive() for fork in forks]
    if uses != [2 * size] * SEATS:
        raise Wrong(f"after {size:,} meals of all who share a fork, they were used {uses} times")
    return took
