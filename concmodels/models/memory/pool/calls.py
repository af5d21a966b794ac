"""The calls that were submitted to a pool of processes or interpreters, as a work queue."""

from concmodels.models.memory.pickling import dumps
from concmodels.models.memory.pool.batches import WorkQueue
from concmodels.models.memory.pool.worker_memory import CALLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import Future
    from typing import Any

    from concmodels.models.memory.pool.batches import ToResolve


class Calls(WorkQueue):
    """The work queue of `submit`: each call has a function of its own, and a future."""

    form = CALLS

    def __init__(self) -> None:
        super().__init__()
        self.calls: dict[int, tuple[Future[Any], bytes, str]] = {}

    @property
    def left(self) -> int:
        return len(self.calls)

    def add(self, future: Future[Any], data: bytes, name: str) -> int:
        """Add a call, and return its position."""
        position = self.stop
        self.calls[position] = future, data, name
        self.stop += 1
        return position

    def take(self, most: int) -> tuple[int, int]:
        """Return what `WorkQueue.take` does, up to the first call that was cancelled."""
        first, count = super().take(most)
        alive = 0
        while alive < count and self._is_wanted(first + alive):
            alive += 1
        if alive < count:
            self._notify(first + alive)
            self.give_back(first + alive + 1, count - alive - 1)
        return first, alive

    def _is_wanted(self, position: int) -> bool:
        call = self.calls.get(position)
        return call is not None and not call[0].cancelled()

    def cancel(self) -> None:
        for first, count in self.drop():
            for position in range(first, first + count):
                self._notify(position)

    def _notify(self, position: int) -> None:
        """Cancel a call if it is not cancelled yet, and wake those that wait for its future."""
        if call := self.calls.pop(position, None):
            call[0].cancel()
            call[0].set_running_or_notify_cancel()

    def payload(self, first: int, count: int) -> bytes:
        return dumps((b"", [self.calls[position][1] for position in range(first, first + count)]), 5)

    def name(self, position: int) -> str:
        return self.calls[position][2]

    def done(self, first: int, results: list[Any], to_resolve: ToResolve) -> None:
        for position, result in enumerate(results, first):
            if call := self.calls.pop(position, None):  # else it was given up before
                to_resolve.append((call[0], result, None))

    def failed(self, position: int, error: BaseException, to_resolve: ToResolve) -> None:
        if call := self.calls.pop(position, None):
            to_resolve.append((call[0], None, error))

    def fail_all(self, error: BaseException, to_resolve: ToResolve) -> None:
        self.drop()
        for position in list(self.calls):
            self.failed(position, error, to_resolve)
