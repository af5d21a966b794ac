"""Big: every task sends a message to every other task, and answers each message. All to all, all at once.

What is measured is how a model bears many busy tasks with many messages under way between any two of them. A message
is the number of its sender; an answer is that number turned over (`~number`, which is negative).
"""

from time import perf_counter

from benchmarks.classics import Wrong
from benchmarks.classics._start import async_line_up, async_start, line_up, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.contract import AsyncChannel, Channel

SIZE = "tasks"
SIZES = {"light": 300, "threads": 200, "boundary": 20, "tiny": 3}
SMALLEST = 2
STEP = "a message or an answer"
UNBOUNDED = float("inf")


def tasks(size: int) -> int:
    """Return the number of tasks: as many as the size says."""
    return size


def steps(size: int) -> int:
    """Return the number of messages and answers: one of each from every task to every other one."""
    return 2 * size * (size - 1)


def member(number: int, inboxes: list[Channel[int]], *ends: Channel[Any]) -> None:
    """Send to all other tasks; answer them, and report when all of them have answered."""
    go, reports = ends
    line_up(go, reports)
    for other in range(len(inboxes)):
        if other != number:
            inboxes[other].send(number)
    answered = []
    for message in inboxes[number]:
        if message >= 0:
            inboxes[message].send(~number)
        else:
            answered.append(~message)
            if len(answered) == len(inboxes) - 1:
                reports.send((number, sorted(answered)))


def main(model: Any, size: int) -> float:
    """Return the seconds until every task has all its answers."""
    inboxes = [model.Channel(UNBOUNDED, f"inbox {number}") for number in range(size)]
    ends = [model.Channel(UNBOUNDED, name) for name in ("go", "reports")]
    go, reports = ends
    with model.TaskGroup() as group:
        for number in range(size):
            group.spawn(member, number, inboxes, *ends)
        started = start(go, reports, size)
        came = [reports.receive() for _ in range(size)]
        took = perf_counter() - started
        for inbox in inboxes:
            inbox.close()
    check(came, size)
    return took


def check(came: list[tuple[int, list[int]]], size: int) -> None:
    """Raise `Wrong` unless every task has been answered by every other one, once."""
    everybody = range(size)
    if sorted(came) != [(number, [*everybody[:number], *everybody[number + 1 :]]) for number in everybody]:
        raise Wrong(f"not all of {size:,} were answered by all others once: {came}")


async def async_member(number: int, inboxes: list[AsyncChannel[int]], *ends: AsyncChannel[Any]) -> None:
    """The async form of `member`."""
    go, reports = ends
    await async_line_up(go, reports)
    for other in range(len(inboxes)):
        if other != number:
            await inboxes[other].send(number)
    answered = []
    async for message in inboxes[number]:
        if message >= 0:
            await inboxes[message].send(~number)
        else:
            answered.append(~message)
            if len(answered) == len(inboxes) - 1:
                await reports.send((number, sorted(answered)))


async def async_main(model: Any, size: int) -> float:
    """The async form of `main`."""
    inboxes = [model.Channel(UNBOUNDED, f"inbox {number}") for number in range(size)]
    ends = [model.Channel(UNBOUNDED, name) for name in ("go", "reports")]
    go, reports = ends
    async with model.TaskGroup() as group:
        for number in range(size):
            group.spawn(async_member, number, inboxes, *ends)
        started = await async_start(go, reports, size)
        came = [await reports.receive() for _ in range(size)]
        took = perf_counter() - started
        for inbox in inboxes:
            inbox.close()
    check(came, size)
    return took
