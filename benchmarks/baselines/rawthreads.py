"""The ring by hand, in raw threads: a thread per node; a link is a deque and a lock that wakes the receiver.

The lock is held while there is nothing new. A sender puts its message into the box, and releases the lock unless it is
free already. A receiver empties the box, and then waits by acquiring the lock. It may find the box empty after that,
because it has taken the message before it acquired the lock; so it looks again, and waits again. No wake-up is lost:
the message is in the box before the sender looks at the lock. This holds for one sender and one receiver per link.

Nothing waits for the end of a raw thread; each has one more lock that it releases as the last thing it does.
"""

from _thread import LockType, allocate_lock, start_new_thread
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter


class Link:
    """A box of messages, with a lock that wakes the receiver."""

    def __init__(self) -> None:
        self.box: deque[int | None] = deque()
        self.lock = locked()

    def send(self, message: int | None) -> None:
        """Put a message into the box, and wake the receiver."""
        self.box.append(message)
        if self.lock.locked():
            self.lock.release()

    def __iter__(self) -> Iterator[int]:
        """Take out the messages as they come, up to None."""
        wait, box, take = self.lock.acquire, self.box, self.box.popleft
        while True:
            while box:
                message = take()
                if message is None:
                    return
                yield message
            wait()


def node(inbox: Link, outbox: Link) -> None:
    """Forward every message, and the end."""
    for message in inbox:
        outbox.send(message)
    outbox.send(None)


def feed(gate: Link, outbox: Link) -> None:
    """Send as many messages as the gate says; after the last order, the end."""
    for messages in gate:
        for number in range(messages):
            outbox.send(number)
    outbox.send(None)


def stream(nodes: int, messages: int) -> float:
    """Return the seconds of a ring with all messages under way."""
    with ring(nodes) as (gate, _, arrivals):
        started = perf_counter()
        gate.send(messages)
        for number in range(messages):
            if (came := next(arrivals)) != number:
                raise RuntimeError(f"message {came} came when {number} was due")
        return perf_counter() - started


def token(nodes: int, messages: int) -> float:
    """Return the seconds of a ring with one message under way."""
    with ring(nodes) as (_, first, arrivals):
        started = perf_counter()
        for number in range(messages):
            first.send(number)
            if (came := next(arrivals)) != number:
                raise RuntimeError(f"message {came} came when {number} was due")
        return perf_counter() - started


@contextmanager
def ring(nodes: int) -> Iterator[tuple[Link, Link, Iterator[int]]]:
    """Start the feeder and the nodes, send one message round, and end them all with the block."""
    gate, links = Link(), [Link() for _ in range(nodes + 1)]
    ends = [start(feed, gate, links[0])]
    ends += [start(node, *pair) for pair in zip(links, links[1:], strict=False)]
    arrivals = iter(links[-1])
    try:
        gate.send(1)
        next(arrivals)
        yield gate, links[0], arrivals
    finally:
        gate.send(None)
        for end in ends:
            end.acquire()


def start(function: Callable[[Link, Link], None], inbox: Link, outbox: Link) -> LockType:
    """Start a thread; return a lock that is free when the thread has ended."""
    end = locked()

    def work() -> None:
        try:
            function(inbox, outbox)
        finally:
            end.release()

    start_new_thread(work, ())
    return end


def locked() -> LockType:
    """Return a lock that is held."""
    lock = allocate_lock()
    lock.acquire()
    return lock
