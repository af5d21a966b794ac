"""A shape on anything that has a way in and a way out, in async code; `straight` is this text without `await`.

Every task reports that it runs, does its work, and stays until the caller has stopped the clock.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any

from benchmarks.shapes import Shape, turns
from benchmarks.shapes.clock import Clock

type Send = Callable[[Any], Awaitable[object]]
type Receive = Callable[[], Awaitable[Any]]


async def node(report: Send, leave: Receive, receive: Receive, send: Send, count: int) -> None:
    """Pass on so many items."""
    await report(None)
    for _ in range(count):
        await send(await receive())
    await leave()


async def source(report: Send, leave: Receive, start: Receive, send: Send, items: Collection[Any]) -> None:
    """Send these, from when the caller says so."""
    await report(None)
    await start()
    for item in items:
        await send(item)
    await leave()


async def drain(report: Send, leave: Receive, receive: Receive, _: Send, count: int) -> None:
    """Receive so many items, and report that."""
    await report(None)
    for _ in range(count):
        await receive()
    await report(None)
    await leave()


BODIES: dict[str, Callable[..., Awaitable[None]]] = {"node": node, "source": source, "drain": drain}


async def run(
    spawn: Callable[..., Callable[[], Awaitable[object]] | None], links: Sequence[tuple[Send, Receive]], shape: Shape
) -> tuple[float, dict[str, Any]]:
    """Run a shape on these links, the first ones for control; return the seconds, and the other figures."""
    (report, reported), (start, started), (leave, left), *channels = links
    tasks = list(shape.tasks())
    ends = []
    for what, inbox, outbox, work in tasks:
        receive = started if what == "source" else channels[inbox][1]
        ends.append(spawn(BODIES[what], report, left, receive, channels[outbox][0], work))
    for _ in tasks:
        await reported()
    came: deque[Any] = deque(maxlen=1 if shape.item else None)
    with Clock() as clock:
        for what, *_ in tasks:
            if what == "source":
                await start(None)
        await take_part(shape, channels[0][0], channels[-1][1], came.append)
        for what, *_ in tasks:
            if what == "drain":
                await reported()
    for _ in tasks:
        await leave(None)
    for end in ends:
        if end is not None:  # else a group waits for the task
            await end()
    shape.check(came)
    return clock.took(shape.hops, **(turns(came) if shape.form == "fan-in" and not shape.item else {}))


async def take_part(shape: Shape, send: Send, receive: Receive, keep: Callable[[Any], object]) -> None:
    """Do what the caller does in a shape: send, receive, or keep so many items in flight."""
    for number in range(shape.in_flight or shape.sent):
        await send(number)
    for number in range(shape.in_flight or shape.received, shape.received):
        keep(await receive())
        await send(number)
    for _ in range(shape.in_flight or shape.received):
        keep(await receive())
