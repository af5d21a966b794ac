"""gevent's queues."""

from collections.abc import Callable
from math import inf
from typing import Any

import gevent
from gevent.queue import Channel, Queue, SimpleQueue, UnboundQueue

from benchmarks.peers import _ring

NEW: dict[str, Callable[..., Any]] = {
    "gevent.queue.Queue": Queue,
    "gevent.queue.SimpleQueue": SimpleQueue,
    "gevent.queue.UnboundQueue": UnboundQueue,
    "gevent.queue.Channel": lambda _: Channel(),
}


def stream(peer: str, nodes: int, messages: int, capacity: float) -> float:
    """Return the seconds of the ring with all messages under way."""
    return lap(_ring.stream, peer, nodes, messages, capacity)


def token(peer: str, nodes: int, messages: int) -> float:
    """Return the seconds of the ring with one message under way."""
    return lap(_ring.token, peer, nodes, messages, inf)


def lap(run: Callable[..., float], peer: str, nodes: int, messages: int, capacity: float) -> float:
    """Make the queues of a ring and run it."""
    queues = [NEW[peer](None if capacity == inf else int(capacity)) for _ in range(nodes + 2)]
    return run(spawn, [(queue.put, queue.get) for queue in queues], messages)


def spawn(function: Callable[..., None], *args: Any) -> Callable[[], None]:
    """Start a Greenlet."""
    unit: Any = gevent.spawn(function, *args)
    return lambda: unit.get()
