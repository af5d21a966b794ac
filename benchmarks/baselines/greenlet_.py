"""The ring by hand, in bare greenlets: a greenlet per node, and a switch per hop.

A greenlet has no queue and no scheduler. All it can do is `other.switch(message)`: stop here, go on there, and take the
message along. So node k switches to node k + 1, the last node to the caller, and a message never lies
in a queue. One message alone can be under way like that, and a stream is nothing but the same walk again and again:
`stream` and `token` are one here.

All nodes are entered for the first time from the same place. A switch has to save that part of the C stack which the
next greenlet is going to use; were each node first entered from within the one before it, as happens when it is left to
itself, the stacks would lie one behind the other, and a switch would cost four times as much.

What a stream could cost if messages were allowed to lie is `batch`: a deque per link, and each node runs once. That is
what a channel between greenlets is up against when it is asked for throughput.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from greenlet import getcurrent, greenlet

type Link = deque[int]
END = None


def node(caller: greenlet, successor: greenlet) -> None:
    """Switch back to the caller once; from then on, every switch to this greenlet brings a message."""
    message = caller.switch()
    while message is not END:
        message = successor.switch(message)


def token(nodes: int, messages: int) -> float:
    """Return the seconds of a ring with one message under way."""
    with ring(nodes) as first:
        started = perf_counter()
        for number in range(messages):
            if (came := first.switch(number)) != number:
                raise RuntimeError(f"message {came} came when {number} was due")
        return perf_counter() - started


stream = token


@contextmanager
def ring(nodes: int) -> Iterator[greenlet]:
    """Start the nodes, send one message round, and end them all with the block."""
    caller = getcurrent()
    units = [greenlet(node) for _ in range(nodes)]
    for unit, successor in zip(units, [*units[1:], caller], strict=True):
        unit.switch(caller, successor)
    try:
        units[0].switch(-1)
        yield units[0]
    finally:
        for unit in units:
            unit.switch(END)  # it returns, and who returns goes on as its parent: here


def batch(nodes: int, messages: int) -> float:
    """Return the seconds that messages take when each node is entered once, and finds all of them."""
    links: list[Link] = [deque() for _ in range(nodes + 1)]
    units = [greenlet(forward) for _ in range(nodes)]
    started = perf_counter()
    links[0].extend(range(messages))
    for unit, inbox, outbox in zip(units, links, links[1:], strict=False):
        unit.switch(inbox, outbox)
    for number in range(messages):
        if (came := links[-1].popleft()) != number:
            raise RuntimeError(f"message {came} came when {number} was due")
    return perf_counter() - started


def forward(inbox: Link, outbox: Link) -> None:
    """Forward the messages that are there."""
    take, send = inbox.popleft, outbox.append
    while inbox:
        send(take())
