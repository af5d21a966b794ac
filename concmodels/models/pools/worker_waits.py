"""Which workers of a pool wait for results of the same pool. If all do, none is left to bring one: a deadlock."""

from _thread import allocate_lock

from concmodels.errors import Deadlock
from concmodels.models.pools.arguments import all_wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.models.waiting.waiter import Waiter


class WorkerWaits:
    """The workers of a pool, by their tasks, and the wait that each of them is in.

    Only waits without a timeout count: a worker whose timeout expires goes on, and can begin another job.
    """

    def __init__(self, size: int) -> None:
        self.workers: set[Any] = set()
        self._size = size
        self._lock = allocate_lock()
        self._waiting: dict[Any, Waiter] = {}

    def begin(self, worker: Any, waiter: Waiter) -> None:
        """Note that a worker is about to wait. Raises `Deadlock` if it is the last one that could go on.

        A wait that was claimed does not count: its worker has what it waited for, and only has to be woken.
        """
        with self._lock:
            self._waiting[worker] = waiter
            if len(self._waiting) < self._size or not all(it.waits() for it in self._waiting.values()):
                return
            del self._waiting[worker]
        raise Deadlock(all_wait(self._size))

    def end(self, worker: Any) -> None:
        """Note that a worker waits no longer."""
        with self._lock:
            del self._waiting[worker]
