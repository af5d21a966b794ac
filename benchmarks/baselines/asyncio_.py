"""The ring by hand, in asyncio: a task per node; a link is a deque and an `asyncio.Event`.

All tasks run in one thread, and change places only at an `await`. So no other task can run between the look into the
box and the wait; a box needs no lock, and a node that finds a thousand messages forwards them without awaiting
anything. That is why this is several times as fast as `asyncio.Queue`, which is asked for one message at a time.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter

END = None


class Link:
    """A box of messages, with an event that wakes the receiver."""

    def __init__(self) -> None:
        self.box: deque[int | None] = deque()
        self.event = asyncio.Event()

    def send(self, message: int | None) -> None:
        """Put a message into the box, and wake the receiver."""
        self.box.append(message)
        self.event.set()

    async def receive(self) -> int | None:
        """Take a message out of the box, waiting until there is one."""
        if not self.box:
            await self.wait()
        return self.box.popleft()

    async def wait(self) -> None:
        """Wait until a message is in the box, which is empty now."""
        self.event.clear()
        await self.event.wait()


async def node(inbox: Link, outbox: Link) -> None:
    """Forward every message, and the mark."""
    box, take, send = inbox.box, inbox.box.popleft, outbox.send
    message: int | None = -1
    while message is not END:
        if not box:
            await inbox.wait()
        send(message := take())


async def feed(gate: Link, outbox: Link) -> None:
    """Send as many messages as the gate says; after the last order, the mark."""
    while (messages := await gate.receive()) is not END:
        for number in range(messages):
            outbox.send(number)
    outbox.send(END)


def stream(nodes: int, messages: int) -> float:
    """Return the seconds of a ring with all messages under way."""
    return asyncio.run(streaming(nodes, messages))


async def streaming(nodes: int, messages: int) -> float:
    """Run the ring of `stream` in the event loop."""
    async with ring(nodes) as (gate, _, last):
        started = perf_counter()
        gate.send(messages)
        for number in range(messages):
            if (came := await last.receive()) != number:
                raise RuntimeError(f"message {came} came when {number} was due")
        return perf_counter() - started


def token(nodes: int, messages: int) -> float:
    """Return the seconds of a ring with one message under way."""
    return asyncio.run(passing(nodes, messages))


async def passing(nodes: int, messages: int) -> float:
    """Run the ring of `token` in the event loop."""
    async with ring(nodes) as (_, first, last):
        started = perf_counter()
        for number in range(messages):
            first.send(number)
            if (came := await last.receive()) != number:
                raise RuntimeError(f"message {came} came when {number} was due")
        return perf_counter() - started


@asynccontextmanager
async def ring(nodes: int) -> AsyncIterator[tuple[Link, Link, Link]]:
    """Start the feeder and the nodes, send one message round, and end them all with the block."""
    gate, links = Link(), [Link() for _ in range(nodes + 1)]
    async with asyncio.TaskGroup() as group:
        group.create_task(feed(gate, links[0]))
        for pair in zip(links, links[1:], strict=False):
            group.create_task(node(*pair))
        gate.send(1)
        await links[-1].receive()
        yield gate, links[0], links[-1]
        gate.send(END)
