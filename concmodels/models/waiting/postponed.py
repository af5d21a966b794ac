"""Cancellations of asyncio's that come too late, and are postponed.

asyncio cancels a task that waits by cancelling its future, so a partner can see that the task has stopped waiting. When
the future has been completed already, asyncio throws `CancelledError` into the task all the same: the item would have
been handed to a task that then says it was cancelled. Such a cancellation is *postponed*: the operation returns, and
the cancellation is raised at the task's next wait for this library, or thrown by the loop into any other wait.

The number of requests, `Task.cancelling()`, stays what it was. If it has become smaller when the cancellation is due,
then the request has been withdrawn: `asyncio.timeout` and `asyncio.TaskGroup` do that when their block is left. Then
nothing is raised. Neither is anything raised in a task that has returned meanwhile.
"""

from asyncio import CancelledError, Task, current_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

postponed: dict[Task[Any], tuple[CancelledError, int]] = {}
"""For a task, the cancellation that it is still to receive, and how many requests there were when it came."""


def postpone(error: BaseException) -> None:
    """Postpone a cancellation of the current task; anything else, as the end of a coroutine is, is raised at once."""
    task = current_task()
    if task is None or not isinstance(error, CancelledError):
        raise error
    postponed[task] = error, task.cancelling()
    task.get_loop().call_soon(_cancel_again, task)


def raise_postponed() -> None:
    """Raise the cancellation that was postponed for the current task, if there is one and it is still meant."""
    task = current_task()
    if task in postponed and (error := _due(task)) is not None:
        raise error


def _cancel_again(task: Task[Any]) -> None:
    """Cancel a task that waits for something else than a channel. The loop calls this once the task has gone on."""
    if task in postponed and (error := _due(task)) is not None and not task.done():
        task.uncancel()  # this request has been counted
        task.cancel(*error.args)


def _due(task: Task[Any]) -> CancelledError | None:
    error, requests = postponed.pop(task)
    return error if task.cancelling() >= requests else None
