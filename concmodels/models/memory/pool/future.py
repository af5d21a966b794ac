"""The futures of the models with memory boundaries, and how a task waits for them."""

from concurrent.futures import CancelledError
from concurrent.futures import Future as _Future

from concmodels.models.pools.results import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from concmodels.models.memory.participant import Participant
    from concmodels.models.memory.pool.payload import Packed

TAKEN_BACK: Any = Failure(CancelledError())
"""Takes the place of a result when a call was cancelled before a worker had begun it."""


class Future(_Future):  # type: ignore[type-arg] # its results are of any type
    """A future of the standard library, whose waits are the model's own."""

    def __init__(self, pool: Any, name: str, data: Packed = b"") -> None:
        super().__init__()
        self.name = name
        self.data = data  # the function and the arguments
        self.number = 0  # away from the pool's home
        self.has_ended = False  # as the dispatcher knows; the future itself is told a little later
        self._pool = pool

    def __repr__(self) -> str:
        if self.done():
            state = "cancelled" if self.cancelled() else "done"
        else:
            state = "running" if self.running() else "pending"
        return f"<future {self.name!r} {state}>"

    def result(self, timeout: float | None = None) -> Any:
        """As in the standard library; a checkpoint. Raises `TimeoutError`, and `Deadlock` if no worker is left."""
        self._pool.wait_for(self, timeout)
        return super().result(0)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """As in the standard library; a checkpoint. Raises `TimeoutError` and `Deadlock` too."""
        self._pool.wait_for(self, timeout)
        return super().exception(0)

    def running(self) -> bool:
        """Return whether a worker has begun the call and not ended it; away from the pool's home that is not known."""
        return not self.done() and bool(self._pool.has_begun(self))

    def cancel(self) -> bool:
        """Take the call back, if no worker has begun it; return whether it is cancelled."""
        return bool(self._pool.cancel_call(self))

    def take_back(self) -> bool:
        """Note that the call is cancelled: no worker has begun it, or will."""
        return super().cancel()

    def end(self, result: Any) -> None:
        """Set the result, or the exception of a `Failure`. Callbacks are the program's, so the caller holds no lock."""
        if result is TAKEN_BACK:
            super().cancel()
        self.data = b""
        if not self.set_running_or_notify_cancel():
            return
        if type(result) is Failure:
            self.set_exception(result.error)
        else:
            self.set_result(result)


class Waiters:
    """The threads of this participant that wait for a pool, each until something is true."""

    def __init__(self, participant: Participant, lock: Any) -> None:
        self._participant = participant
        self._lock = lock
        self._waiting: list[tuple[int, Callable[[], bool]]] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def wait_until(self, done: Callable[[], bool], until: float | None) -> None:
        """Wait until `done()`, or until this moment. A checkpoint, if the caller has to wait. Raises `TimeoutError`."""
        if done():
            return
        self._participant.checkpoint()
        waiter = self._participant.begin_wait(), done
        with self._lock:
            self._waiting.append(waiter)
        try:
            while not done():
                if not self._participant.wait(until) and not done():
                    raise TimeoutError("the pool has not done it in time")
        finally:
            with self._lock:
                self._waiting.remove(waiter)

    def wake_done(self) -> None:
        """Wake the threads whose condition is true by now."""
        with self._lock:
            for at, done in self._waiting:
                if done():
                    self._participant.notify(at)
