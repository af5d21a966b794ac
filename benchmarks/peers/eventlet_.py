"""eventlet's queues."""

import warnings
from collections.abc import Callable
from math import inf
from typing import Any

from benchmarks.peers import _ring

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that it should not be used for new programs
    import eventlet
    from eventlet.queue import LightQueue, Queue

NEW = {"eventlet.Queue": Queue, "eventlet.LightQueue": LightQueue}


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


def spawn(function: Callable[..., None], *args: Any) -> Callable[[], object]:
    """Start a GreenThread."""
    unit: Any = eventlet.spawn(function, *args)
    return lambda: unit.wait()
