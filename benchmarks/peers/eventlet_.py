"""eventlet's queues."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.peers._ring import size

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that it should not be used for new programs
    import eventlet
    from eventlet.queue import LightQueue, Queue


class Patient(Queue):  # type: ignore[misc]
    """A queue whose senders let others run after each item."""

    def put(self, item: Any) -> None:
        super().put(item)
        eventlet.sleep(0)


NEW = {"eventlet.Queue": Queue, "eventlet.LightQueue": LightQueue, "eventlet.Queue, a turn each": Patient}


def lap(run: Callable[..., Any], peer: str, capacities: Sequence[float | None], work: Any) -> Any:
    """Make queues of these capacities, and run a program on them."""
    queues = [NEW[peer](size(capacity) or None) for capacity in capacities]
    return run(spawn, [(queue.put, queue.get) for queue in queues], work)


def spawn(function: Callable[..., None], *args: Any) -> Callable[[], object]:
    """Start a GreenThread."""
    unit: Any = eventlet.spawn(function, *args)
    return lambda: unit.wait()
