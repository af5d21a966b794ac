"""asyncio's cancellations that come too late, and are postponed.

asyncio cancels a task that waits by cancelling its future, so a partner can see that the task has stopped waiting. When
the future has been completed already, asyncio throws `CancelledError` into the task all the same: the item would have
been handed to a task that then says it was cancelled. Such a cancellation is *postponed*: the operation returns, and
the cancellation is raised at the task's next wait for this library, or thrown by the loop into any other wait.

One exception may stand for several requests, and some of these may be withdrawn before it is raised: `asyncio.timeout`
and `asyncio.TaskGroup` call `uncancel()` when their block is left. The number of requests that remain doesn't tell
whose they are. asyncio has the same problem when the exception leaves such a block, and compares the number with that
at the beginning of the block: if it is no greater, no request has come from further outside, and the block catches the
exception. A postponed exception can't leave the block, so the same comparison is made for it when the block calls
`uncancel()`. If the block would have caught it, it is dropped. It is also dropped if another `CancelledError` leaves
the block at that moment, as when the operation was part of a clean-up: that one then stands for all that remain.

A new request takes over: what asyncio raises for that one stands for all that came before, as it always does. And
nothing is raised in a task that has returned meanwhile.
"""

import sys
from asyncio import CancelledError, Task, Timeout, current_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

postponed: dict[Task[Any], _Postponed] = {}
"""The cancellation that a task is still to receive."""


def postpone(error: BaseException) -> None:
    """Postpone a cancellation of the current task; raise anything else, such as the end of a coroutine, at once."""
    task = current_task()
    if task is None or not isinstance(error, CancelledError):
        raise error
    postponed[task] = _Postponed(task, error)
    task.get_loop().call_soon(_cancel_again, task)


def raise_postponed() -> None:
    """Raise the cancellation that was postponed for the current task, if there is one."""
    task = current_task()
    if task in postponed:
        raise postponed[task].take()


def _cancel_again(task: Task[Any]) -> None:
    """Cancel a task that waits for something other than a channel. The loop calls this once the task has gone on."""
    if task in postponed:
        error = postponed[task].take()
        if not task.done():
            task.uncancel()  # this request has been counted
            task.cancel(*error.args)


class _Postponed:
    """A postponed cancellation; until it is raised or dropped, its methods replace two of the task's.

    They are put into the task itself, so that no other task is slower, and are there for one turn of the loop at most.
    """

    def __init__(self, task: Any, error: CancelledError) -> None:
        self._task = task
        self._error = error
        task.cancel, task.uncancel = self._cancel, self._uncancel

    def take(self) -> CancelledError:
        """Postpone it no longer; return the exception."""
        del self._task.cancel, self._task.uncancel
        del postponed[self._task]
        return self._error

    def _cancel(self, msg: Any = None) -> bool:
        """As `Task.cancel`; asyncio then raises one exception for all requests."""
        self.take()
        cancelled: bool = self._task.cancel(msg)
        return cancelled

    def _uncancel(self) -> int:
        """As `Task.uncancel`, called by the block that withdraws its request."""
        left: int = type(self._task).uncancel(self._task)
        caller = sys._getframe(1).f_locals
        block, kind = caller.get("self"), caller.get("exc_type")
        # A group compares with 0, and so does asyncio itself when a program calls this.
        at_entry = block._cancelling if isinstance(block, Timeout) else 0  # type: ignore[attr-defined] # it is private
        if left <= at_entry or (kind is not None and issubclass(kind, CancelledError)):
            self.take()
        return left
