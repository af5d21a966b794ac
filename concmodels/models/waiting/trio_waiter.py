"""How a task waits on trio's loop: until it is rescheduled.

trio asks the wait before it cancels it (`_abort`), and it asks only as long as nobody has rescheduled the task. So each
wait is decided once, at a moment that partners can see, and no cancellation ever reaches an operation that is done.
"""

import trio
from trio.lowlevel import Abort, current_task, reschedule, wait_task_rescheduled

from concmodels.models.waiting.channel import TIMED_OUT
from concmodels.models.waiting.cooperative import LoneWaiter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable
    from typing import Any


class RescheduledWaiter(LoneWaiter):
    """A task waits until it is rescheduled, and is woken by just that."""

    __slots__ = ("_task",)

    def __init__(self, item: Any = None) -> None:
        self.item = item
        self.outcome = ""
        self._task = current_task()

    def park(self, timeout: float | None) -> Awaitable[Any]:
        """Wait until woken, at most `timeout` seconds."""
        return wait_task_rescheduled(self._abort) if timeout is None else self._park(timeout)

    async def _park(self, timeout: float) -> None:
        with trio.move_on_after(float(timeout)):
            await wait_task_rescheduled(self._abort)

    def _abort(self, _raise_cancel: object) -> Abort:
        """trio cancels the wait; it asks only while nobody has rescheduled the task, so the claim succeeds."""
        self.claim(TIMED_OUT)
        return Abort.SUCCEEDED

    def wake(self) -> None:
        """As `Waiter.wake`."""
        if self.outcome != TIMED_OUT:
            reschedule(self._task)
