"""Chameneos: creatures of three colours meet in pairs at a mall, and both leave it in another colour.

Two of one colour keep it; two of different colours both take the third. The mall is the caller: it pairs the creatures
in the order in which they come, and after so many meetings it closes. What is measured is how well many tasks get on
with a single one in the middle.
"""

from time import perf_counter

from benchmarks.classics import Wrong
from benchmarks.classics._start import async_line_up, async_start, line_up, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.contract import AsyncChannel, Channel

SIZE = "meetings"
SIZES = {"light": 10_000, "threads": 5000, "boundary": 5000, "tiny": 5}
STEP = "a meeting"
CREATURES = 4
COLOURS = 3
UNBOUNDED = float("inf")


def tasks(size: int) -> int:
    """Return the number of creatures."""
    return CREATURES


def steps(size: int) -> int:
    """Return the number of meetings."""
    return size


def live(number: int, colour: int, mall: Channel[int], partner: Channel[int], reports: Channel[int]) -> None:
    """Go to the mall again and again; report the number of meetings.

    Who comes, and in which colour, is one number: that is the message which is cheapest in every model.
    """
    meetings = 0
    mall.send(number * COLOURS + colour)
    for other in partner:
        if other != colour:
            colour = COLOURS - colour - other
        meetings += 1
        mall.send(number * COLOURS + colour)
    reports.send(meetings)


def creature(number: int, mall: Channel[int], partner: Channel[int], *ends: Channel[Any]) -> None:
    """Wait for the start, then live; report the number of meetings."""
    go, reports = ends
    line_up(go, reports)
    live(number, number % COLOURS, mall, partner, reports)


def pair(mall: Channel[int], partners: list[Channel[int]]) -> None:
    """Let the next two creatures meet."""
    one, its_colour = divmod(mall.receive(), COLOURS)
    other, others_colour = divmod(mall.receive(), COLOURS)
    if one == other:
        raise Wrong(f"creature {one} met itself")
    partners[one].send(others_colour)
    partners[other].send(its_colour)


def main(model: Any, size: int) -> float:
    """Return the seconds of `size` meetings."""
    mall, *ends = (model.Channel(UNBOUNDED, name) for name in ("mall", "go", "reports"))
    go, reports = ends
    partners = [model.Channel(1, f"partner of creature {number}") for number in range(CREATURES)]
    with model.TaskGroup() as group:
        for number in range(CREATURES):
            group.spawn(creature, number, mall, partners[number], *ends)
        started = start(go, reports, CREATURES)
        for _ in range(size):
            pair(mall, partners)
        took = perf_counter() - started
        for partner in partners:
            partner.close()
        meetings = 0
        for _ in range(CREATURES):
            meetings += reports.receive()
    if meetings != 2 * size:
        raise Wrong(f"{size:,} meetings of two came to {meetings:,}")
    return took


async def async_live(
    number: int, colour: int, mall: AsyncChannel[int], partner: AsyncChannel[int], reports: AsyncChannel[int]
) -> None:
    """The async form of `live`."""
    meetings = 0
    await mall.send(number * COLOURS + colour)
    async for other in partner:
        if other != colour:
            colour = COLOURS - colour - other
        meetings += 1
        await mall.send(number * COLOURS + colour)
    await reports.send(meetings)


async def async_creature(
    number: int, mall: AsyncChannel[int], partner: AsyncChannel[int], *ends: AsyncChannel[Any]
) -> None:
    """The async form of `creature`."""
    go, reports = ends
    await async_line_up(go, reports)
    await async_live(number, number % COLOURS, mall, partner, reports)


async def async_pair(mall: AsyncChannel[int], partners: list[AsyncChannel[int]]) -> None:
    """The async form of `pair`."""
    one, its_colour = divmod(await mall.receive(), COLOURS)
    other, others_colour = divmod(await mall.receive(), COLOURS)
    if one == other:
        raise Wrong(f"creature {one} met itself")
    await partners[one].send(others_colour)
    await partners[other].send(its_colour)


async def async_main(model: Any, size: int) -> float:
    """The async form of `main`."""
    mall, *ends = (model.Channel(UNBOUNDED, name) for name in ("mall", "go", "reports"))
    go, reports = ends
    partners = [model.Channel(1, f"partner of creature {number}") for number in range(CREATURES)]
    async with model.TaskGroup() as group:
        for number in range(CREATURES):
            group.spawn(async_creature, number, mall, partners[number], *ends)
        started = await async_start(go, reports, CREATURES)
        for _ in range(size):
            await async_pair(mall, partners)
        took = perf_counter() - started
        for partner in partners:
            partner.close()
        meetings = 0
        for _ in range(CREATURES):
            meetings += await reports.receive()
    if meetings != 2 * size:
        raise Wrong(f"{size:,} meetings of two came to {meetings:,}")
    return took
