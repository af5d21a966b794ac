"""The ring by hand, in gevent: a Greenlet per node; a link is a deque, and a node that waits switches to the hub.

The hub is the greenlet in which gevent's event loop runs. `hub.switch()` stops here until another greenlet switches
back; and `loop.run_callback(unit.switch)` asks the loop to do that in its next turn. gevent's own queues are made of
these two calls. A link of this ring has one sender and one receiver, so it needs to remember one waiter at most.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

import gevent
from gevent import get_hub, getcurrent

END = None


class Link:
    """A box of messages, and the greenlet that waits for the next one."""

    def __init__(self) -> None:
        self.box: deque[int | None] = deque()
        self.waiter: Callable[[], object] | None = None
        self.hub = get_hub()
        self.soon = self.hub.loop.run_callback

    def send(self, message: int | None) -> None:
        """Put a message into the box, and wake the receiver."""
        self.box.append(message)
        if self.waiter is not None:
            self.soon(self.waiter)
            self.waiter = None

    def receive(self) -> int | None:
        """Take a message out of the box, waiting until there is one."""
        if not self.box:
            self.wait()
        return self.box.popleft()

    def wait(self) -> None:
        """Wait until a message is in the box."""
        self.waiter = getcurrent().switch
        self.hub.switch()


def node(inbox: Link, outbox: Link) -> None:
    """Forward every message, and the mark."""
    box, take, send = inbox.box, inbox.box.popleft, outbox.send
    message: int | None = -1
    while message is not END:
        if not box:
            inbox.wait()
        send(message := take())


def feed(gate: Link, outbox: Link) -> None:
    """Send as many messages as the gate says; after the last order, the mark."""
    for messages in iter(gate.receive, END):
        for number in range(messages):
            outbox.send(number)
    outbox.send(END)


def stream(nodes: int, messages: int) -> float:
    """Return the seconds of a ring with all messages under way."""
    with ring(nodes) as (gate, _, last):
        started = perf_counter()
        gate.send(messages)
        for number in range(messages):
            if (came := last.receive()) != number:
                raise RuntimeError(f"message {came} came when {number} was due")
        return perf_counter() - started


def token(nodes: int, messages: int) -> float:
    """Return the seconds of a ring with one message under way."""
    with ring(nodes) as (_, first, last):
        started = perf_counter()
        for number in range(messages):
            first.send(number)
            if (came := last.receive()) != number:
                raise RuntimeError(f"message {came} came when {number} was due")
        return perf_counter() - started


@contextmanager
def ring(nodes: int) -> Iterator[tuple[Link, Link, Link]]:
    """Start the feeder and the nodes, send one message round, and end them all with the block."""
    gate, links = Link(), [Link() for _ in range(nodes + 1)]
    units: list[gevent.Greenlet[..., None]] = [gevent.spawn(feed, gate, links[0])]
    for inbox, outbox in zip(links, links[1:], strict=False):
        units.append(gevent.spawn(node, inbox, outbox))
    try:
        gate.send(1)
        links[-1].receive()
        yield gate, links[0], links[-1]
    finally:
        gate.send(END)
        gevent.joinall(units)
