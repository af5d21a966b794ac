"""The futures of the models with memory boundaries: the standard library's own, whose waits are the model's."""

from concurrent.futures import Future as _Future

from concmodels.models.memory.arena import deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Future(_Future):  # type: ignore[type-arg] # its results are of any type
    """A future of the standard library, whose waits are the model's own."""

    def __init__(self, pool: Any, name: str) -> None:
        super().__init__()
        self.name = name
        self._pool = pool
        self.position = -1

    def __repr__(self) -> str:
        if self.done():
            state = "cancelled" if self.cancelled() else "done"
        else:
            state = "running" if self.running() else "pending"
        return f"<future {self.name!r} {state}>"

    def result(self, timeout: float | None = None) -> Any:
        """As in the standard library; a checkpoint. Raises `TimeoutError` too."""
        self._wait(timeout)
        return super().result(0)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """As in the standard library; a checkpoint. Raises `TimeoutError` too."""
        self._wait(timeout)
        return super().exception(0)

    def running(self) -> bool:
        """Return whether a worker has begun the call and not ended it."""
        return not self.done() and bool(self._pool.dispatcher.has_begun(self.position))

    def cancel(self) -> bool:
        """Take the call back, if no worker has begun it; return whether it is cancelled."""
        taken_back: bool = self._pool.dispatcher.cancel(self.position, super().cancel)
        return taken_back

    def _wait(self, timeout: float | None) -> None:
        if not self.done():
            self._pool.wait_until(self.done, deadline(timeout))
        self._pool.home.checkpoint()  # if the caller is cancelled too, that is what it is to hear of
