"""Commstime: four tasks, rendezvous channels, and one number that grows as it goes round. From the days of occam.

    prefix --> delta --> the caller
      ^          |
      '-- successor

Delta hands each number to the successor, which adds one, and to the caller, who sees 0, 1, 2, 3 ... What is measured is
the cost of a rendezvous, and of the switch that comes with it.
"""

from time import perf_counter

from benchmarks.classics import Wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.contract import AsyncChannel, Channel

SIZE = "numbers that the caller sees"
SIZES = {"light": 10_000, "threads": 2000, "boundary": 2000, "tiny": 3}
STEP = "a message"


def tasks(size: int) -> int:
    """Return the number of tasks: prefix, delta and successor."""
    return 3


def steps(size: int) -> int:
    """Return the number of sends: every number goes through four channels."""
    return 4 * size


def prefix(inbox: Channel[int], outbox: Channel[int], last: int) -> None:
    """Forward the numbers up to the last one."""
    for number in inbox:
        if number > last:
            break
        outbox.send(number)
    outbox.close()


def delta(inbox: Channel[int], left: Channel[int], right: Channel[int]) -> None:
    """Send each number both ways."""
    for number in inbox:
        left.send(number)
        right.send(number)
    left.close()
    right.close()


def successor(inbox: Channel[int], outbox: Channel[int]) -> None:
    """Add one."""
    for number in inbox:
        outbox.send(number + 1)
    outbox.close()


def main(model: Any, size: int) -> float:
    """Return the seconds of `size` rounds."""
    numbers, copies, successors, seen = (model.Channel(0, name) for name in ("numbers", "copies", "successors", "seen"))
    with model.TaskGroup() as group:
        group.spawn(prefix, successors, numbers, size)
        group.spawn(delta, numbers, copies, seen)
        group.spawn(successor, copies, successors)
        successors.send(0)
        expect(seen, 0)  # now all of them run
        started = perf_counter()
        for due in range(1, size + 1):
            expect(seen, due)
        return perf_counter() - started


def expect(seen: Channel[int], due: int) -> None:
    """Receive the number that is due. Raises `Wrong` for another one."""
    number = seen.receive()
    if number != due:
        raise Wrong(f"the caller saw {number} when {due} was due")


async def async_prefix(inbox: AsyncChannel[int], outbox: AsyncChannel[int], last: int) -> None:
    """The async form of `prefix`."""
    async for number in inbox:
        if number > last:
            break
        await outbox.send(number)
    outbox.close()


async def async_delta(inbox: AsyncChannel[int], left: AsyncChannel[int], right: AsyncChannel[int]) -> None:
    """The async form of `delta`."""
    async for number in inbox:
        await left.send(number)
        await right.send(number)
    left.close()
    right.close()


async def async_successor(inbox: AsyncChannel[int], outbox: AsyncChannel[int]) -> None:
    """The async form of `successor`."""
    async for number in inbox:
        await outbox.send(number + 1)
    outbox.close()


async def async_main(model: Any, size: int) -> float:
    """The async form of `main`."""
    numbers, copies, successors, seen = (model.Channel(0, name) for name in ("numbers", "copies", "successors", "seen"))
    async with model.TaskGroup() as group:
        group.spawn(async_prefix, successors, numbers, size)
        group.spawn(async_delta, numbers, copies, seen)
        group.spawn(async_successor, copies, successors)
        await successors.send(0)
        await async_expect(seen, 0)  # now all of them run
        started = perf_counter()
        for due in range(1, size + 1):
            await async_expect(seen, due)
        return perf_counter() - started


async def async_expect(seen: AsyncChannel[int], due: int) -> None:
    """The async form of `expect`."""
    number = await seen.receive()
    if number != due:
        raise Wrong(f"the caller saw {number} when {due} was due")
