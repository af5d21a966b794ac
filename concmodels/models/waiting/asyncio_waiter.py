"""How a task waits on asyncio's loop: for a future of its own, which a partner, a close or a timer completes.

asyncio cancels a task that waits by cancelling its future, so a partner can see that the task has stopped waiting. When
the future has been completed already, asyncio throws `CancelledError` into the task all the same: the item would have
been handed to a task that then says it was cancelled. Such a cancellation is *postponed*: the operation returns, and
the cancellation is raised at the task's next wait for this library, or thrown by the loop into any other wait.

The number of requests, `Task.cancelling()`, stays what it was. If it has become smaller when the cancellation is due,
then whoever had asked for it has withdrawn it: `asyncio.timeout` and `asyncio.TaskGroup` do that when their block is
left. Then nothing is raised. Neither is anything raised in a task that has returned meanwhile.
"""

from asyncio import CancelledError, Future, Task, current_task, get_running_loop

from concmodels.models.waiting.channel import TIMED_OUT
from concmodels.models.waiting.cooperative import LoneWaiter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable
    from typing import Any

postponed: dict[Task[Any], tuple[CancelledError, int]] = {}
"""For a task, the cancellation that it is still to receive, and how many requests there were when it came."""


class FutureWaiter(LoneWaiter):
    """A task waits for a future, and is woken by its result."""

    __slots__ = ("_future",)

    def __init__(self, item: Any = None) -> None:
        self.item = item
        self.outcome = ""
        self._future: Future[None] = Future(loop=get_running_loop())

    def claim(self, outcome: str) -> bool:
        """As `Waiter.claim`; a task that has been cancelled but has not run yet waits no longer."""
        if self.outcome or self._future.cancelled():
            return False
        self.outcome = outcome
        return True

    def park(self, timeout: float | None) -> Awaitable[None]:
        """Wait until woken, at most `timeout` seconds. Raises a postponed cancellation instead."""
        if postponed:
            raise_postponed()
        return self._future if timeout is None else self._park(timeout)

    async def _park(self, timeout: float) -> None:
        timer = self._future.get_loop().call_later(float(timeout), self.finish, TIMED_OUT)
        try:
            await self._future
        finally:
            timer.cancel()

    def wake(self) -> None:
        """As `Waiter.wake`."""
        self._future.set_result(None)  # not cancelled: then it could not have been claimed

    def put_off(self, error: BaseException) -> None:
        """As `Waiter.put_off`, for a cancellation; anything else is raised at once, as the end of a coroutine is."""
        task = current_task()
        if task is None or not isinstance(error, CancelledError):
            raise error
        postponed[task] = error, task.cancelling()
        task.get_loop().call_soon(_cancel_again, task)


def raise_postponed() -> None:
    """Raise the cancellation that was postponed for this task, if there is one and it is still meant."""
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
