"""The start of a race: all tasks are ready before the clock runs.

The channel on which a task says that it is ready is the one on which it reports later. So no task uses that channel
for the first time while the clock runs, which takes its time across a memory boundary.
"""

from time import perf_counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.contract import AsyncChannel, Channel


def line_up(go: Channel[Any], reports: Channel[Any]) -> None:
    """Report that this task runs, and wait for the start."""
    reports.send(None)
    go.receive()


def start(go: Channel[Any], reports: Channel[Any], tasks: int) -> float:
    """Wait until all tasks are ready; let them go, and return the time."""
    for _ in range(tasks):
        reports.receive()
    started = perf_counter()
    for _ in range(tasks):
        go.send(None)
    return started


async def async_line_up(go: AsyncChannel[Any], reports: AsyncChannel[Any]) -> None:
    """The async form of `line_up`."""
    await reports.send(None)
    await go.receive()


async def async_start(go: AsyncChannel[Any], reports: AsyncChannel[Any], tasks: int) -> float:
    """The async form of `start`."""
    for _ in range(tasks):
        await reports.receive()
    started = perf_counter()
    for _ in range(tasks):
        await go.send(None)
    return started
