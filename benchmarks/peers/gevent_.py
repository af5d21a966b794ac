"""gevent's queues."""

from collections.abc import Callable, Sequence
from typing import Any

import gevent
from gevent.queue import Queue, SimpleQueue

from benchmarks.peers._ring import size


class Patient(Queue):  # type: ignore[misc, type-arg]
    """A queue whose senders let others run after each item."""

    def put(self, item: Any) -> None:
        super().put(item)
        gevent.sleep(0)


NEW: dict[str, Callable[..., Any]] = {
    "gevent.queue.Queue": Queue,
    "gevent.queue.Queue, a turn each": Patient,
    "gevent.queue.SimpleQueue": SimpleQueue,
}


def lap(run: Callable[..., Any], peer: str, capacities: Sequence[float | None], work: Any) -> Any:
    """Make queues of these capacities, and run a program on them."""
    queues = [NEW[peer](size(capacity) or None) for capacity in capacities]
    return run(spawn, [(queue.put, queue.get) for queue in queues], work)


def spawn(function: Callable[..., None], *args: Any) -> Callable[[], None]:
    """Start a Greenlet."""
    unit: Any = gevent.spawn(function, *args)
    return lambda: unit.get()
