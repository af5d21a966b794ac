"""A shape on anything that has a way in and a way out, in sync code; `awaited` has the same in async code.

Every task reports that it runs, does its work, and stays until the caller has stopped the clock.
"""

from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Any

from benchmarks.shapes import Shape, turns
from benchmarks.shapes.clock import Clock

type Send = Callable[[Any], object]
type Receive = Callable[[], Any]


def node(report: Send, leave: Receive, receive: Receive, send: Send, count: int) -> None:
    """Pass on so many items."""
    report(None)
    for _ in range(count):
        send(receive())
    leave()


def source(report: Send, leave: Receive, start: Receive, send: Send, items: Collection[Any]) -> None:
    """Send these, from when the caller says so."""
    report(None)
    start()
    for item in items:
        send(item)
    leave()


def drain(report: Send, leave: Receive, receive: Receive, _: Send, count: int) -> None:
    """Receive so many items, and report that."""
    report(None)
    for _ in range(count):
        receive()
    report(None)
    leave()


BODIES: dict[str, Callable[..., None]] = {"node": node, "source": source, "drain": drain}


def run(
    spawn: Callable[..., Callable[[], object]], links: Sequence[tuple[Send, Receive]], shape: Shape
) -> tuple[float, dict[str, Any]]:
    """Run a shape on these links, the first ones for control; return the seconds, and the other figures."""
    (report, reported), (start, started), (leave, left), *channels = links
    tasks = list(shape.tasks())
    ends = []
    for what, inbox, outbox, work in tasks:
        receive = started if what == "source" else channels[inbox][1]
        ends.append(spawn(BODIES[what], report, left, receive, channels[outbox][0], work))
    for _ in tasks:
        reported()
    came: deque[Any] = deque(maxlen=1 if shape.item else None)
    with Clock() as clock:
        for what, *_ in tasks:
            if what == "source":
                start(None)
        take_part(shape, channels[0][0], channels[-1][1], came.append)
        for what, *_ in tasks:
            if what == "drain":
                reported()
    for _ in tasks:
        leave(None)
    for end in ends:
        end()
    shape.check(came)
    return clock.took(shape.hops, **(turns(came) if shape.form == "fan-in" and not shape.item else {}))


def take_part(shape: Shape, send: Send, receive: Receive, keep: Send) -> None:
    """Do what the caller does in a shape: send, receive, or keep so many items in flight."""
    for number in range(shape.in_flight or shape.sent):
        send(number)
    for number in range(shape.in_flight or shape.received, shape.received):
        keep(receive())
        send(number)
    for _ in range(shape.in_flight or shape.received):
        keep(receive())
