"""The ring by hand, in threads: a thread per node, a `queue.SimpleQueue` per link.

    gate --> feeder --> node 1 --> node 2 --> ... --> node N --> the caller

SimpleQueue is written in C; it has no bound, and there is no way to close it. So every node forwards up to a mark, and
then the mark. The gate tells the feeder how many messages to send, once the clock is running.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread
from time import perf_counter

type Link = SimpleQueue[int | None]
END = None


def node(inbox: Link, outbox: Link) -> None:
    """Forward every message, and the mark."""
    send = outbox.put
    for message in iter(inbox.get, END):
        send(message)
    send(END)


def feed(gate: Link, outbox: Link) -> None:
    """Send as many messages as the gate says; after the last order, the mark."""
    send = outbox.put
    for messages in iter(gate.get, END):
        for number in range(messages):
            send(number)
    send(END)


def stream(nodes: int, messages: int) -> float:
    """Return the seconds of a ring with all messages under way."""
    with ring(nodes) as (gate, _, last):
        started = perf_counter()
        gate.put(messages)
        for number in range(messages):
            if (came := last.get()) != number:
                raise RuntimeError(f"message {came} came when {number} was due")
        return perf_counter() - started


def token(nodes: int, messages: int) -> float:
    """Return the seconds of a ring with one message under way."""
    with ring(nodes) as (_, first, last):
        started = perf_counter()
        for number in range(messages):
            first.put(number)
            if (came := last.get()) != number:
                raise RuntimeError(f"message {came} came when {number} was due")
        return perf_counter() - started


@contextmanager
def ring(nodes: int) -> Iterator[tuple[Link, Link, Link]]:
    """Start the feeder and the nodes, send one message round, and end them all with the block."""
    gate: Link = SimpleQueue()
    links: list[Link] = [SimpleQueue() for _ in range(nodes + 1)]
    threads = [Thread(target=feed, args=(gate, links[0]))]
    threads += [Thread(target=node, args=pair) for pair in zip(links, links[1:], strict=False)]
    for thread in threads:
        thread.start()
    try:
        gate.put(1)
        links[-1].get()
        yield gate, links[0], links[-1]
    finally:
        gate.put(END)
        for thread in threads:
            thread.join()
