"""The future of a task, in a pool or in a group: a task that waits for it waits at the board, and can be cancelled
there.
"""

from concurrent.futures import Future as _Future

from concmodels.errors import CannotTravel, TaskCancelled, WorkerDied
from concmodels.models.cluster.link import BOARD, Handle, new_number, running_in
from concmodels.models.cluster.pickling import unpack
from concmodels.models.cluster.work import DIED, DONE, FAILED, NOT_PREPARED, REFUSED, TAKEN_BACK
from concmodels.models.memory.pickling import unpack_error
from concmodels.models.pools.arguments import refusal
from concmodels.models.waiting.timeouts import must_be_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.models.cluster.link import Link


class Future(Handle, _Future):  # type: ignore[type-arg] # its result is whatever the function returns
    """The standard library's future. The board tells the process that started the task when that has ended."""

    local = True

    def __init__(self, link: Link, name: str) -> None:
        super().__init__()
        self.name = name
        self._attach(link, new_number())

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the result, or raise what the task raised. Raises `TaskCancelled` if it was cancelled."""
        self._wait(timeout)
        try:
            return super().result(timeout=0)
        except TaskCancelled:
            if not self.link.over:
                # If the caller was cancelled too, it must learn of that, and not of the other task's end.
                running_in(self.link).ask(BOARD, "check_caller")
            raise
        finally:
            del self  # the exception holds this frame, and would keep the future alive

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait until the task has ended; return what it raised, if anything."""
        self._wait(timeout)
        return super().exception(timeout=0)

    def _wait(self, timeout: float | None) -> None:
        if not self.done():
            self._ask("wait", None if timeout is None else must_be_seconds(timeout))

    def running(self) -> bool:
        """Return whether the task has begun and not ended."""
        return not self.done() and not self._ask("is_queued")

    def cancel(self) -> bool:
        """Cancel the task if it has not begun; return whether it was cancelled."""
        if not self.done():
            self._ask("take_back")  # and then it has ended, or has begun
        return self.cancelled()

    def end(self, outcome: Any, error: BaseException | None) -> None:
        """Set the outcome of the task. Called in the event loop."""
        data: Any
        state, data = outcome if error is None else (DIED, ("", str(error)))
        if state == TAKEN_BACK:
            super().cancel()
            self.set_running_or_notify_cancel()
        elif state == DONE:
            try:
                self.set_result(unpack(data, f"the result of task {self.name!r}"))
            except CannotTravel as error:
                self.set_exception(error)
        else:
            self.set_exception(self._failure(state, data))

    def _failure(self, state: str, data: Any) -> BaseException:
        if state == FAILED:
            return unpack_error(data)
        if state in (NOT_PREPARED, REFUSED):
            return refusal(unpack_error(data) if data else None)
        if state == DIED:
            worker, sentence = data
            told = f"worker {worker} died in task {self.name!r}" if worker else f"{sentence} (task {self.name!r})"
            return WorkerDied(told, worker or None)
        return TaskCancelled(f"task {self.name!r} was cancelled")
