"""trio: coroutines with structured concurrency from the ground up.

unit          one trio task per task
scheduler     trio's loop, in batches, every other of which runs backwards, by chance; cooperative
message       by reference
parallel      no: one loop, one thread
cancellation  `trio.Cancelled`, by scope: swallowed, it is raised again at every wait until the scope is left

Limitations: code that computes or blocks stops all tasks. A task handed an item runs in the next batch, whose order is
not first come, first served. Ctrl-C is trio's own: it protects trio's code and this room's. A deadlock is seen while
every task waits in this room: not in a nursery or a lock of trio's own, nor beside a foreign thread (trio keeps its
workers for ten seconds), a signal handler, a deadline, a system task.
"""

import math
import time

import trio
from trio import Cancelled
from trio.lowlevel import Abort, checkpoint, current_task, reschedule, wait_task_rescheduled

from concmodels.models._async_pool import AsyncPool
from concmodels.models._awaiting import AsyncChannel, AsyncUnbounded
from concmodels.models._cooperative import LoneWaiter
from concmodels.models._deadlock import DEADLOCK_AFTER, patience
from concmodels.models._failures import Failures
from concmodels.models._interrupt import LoopGuard
from concmodels.models._loop_watches import TrioWatch
from concmodels.models._scoped import ScopedGroup
from concmodels.models._select import select_async
from concmodels.models._share import share
from concmodels.models._waiting import TIMED_OUT, turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any, Self

    from concmodels.errors import Selected

__all__ = ["Cancelled", "Channel", "Pool", "TaskGroup", "now", "run", "select", "share", "sleep"]

now = time.monotonic


def run[R](main: Callable[..., Awaitable[R]], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` on a new trio loop and return its result; see `concmodels.contract.Room.run`."""
    if trio.lowlevel.in_trio_run():
        raise RuntimeError("trio.run was called inside a run of trio: await the function instead")
    seconds = patience(deadlock_after)
    with Failures.bare_interrupts():
        return trio.run(_guarded, main, args, seconds)


async def _guarded[R](main: Callable[..., Awaitable[R]], args: tuple[Any, ...], seconds: float | None) -> R:
    scope, exits = trio.CancelScope(), (ScopedGroup.__aexit__.__code__,)
    with LoopGuard(trio.lowlevel.current_trio_token().run_sync_soon), TrioWatch(seconds, scope.cancel, exits) as watch:
        with scope:
            return await main(*args)
        raise watch.verdict()  # nobody else cancels this scope


async def sleep(seconds: float) -> None:
    """Sleep; the other tasks run meanwhile. A checkpoint."""
    await trio.sleep(max(0, seconds))


class _Waiter(LoneWaiter):
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
        with trio.move_on_after(timeout):
            await wait_task_rescheduled(self._abort)

    def _abort(self, _raise_cancel: object) -> Abort:
        """trio cancels the wait; it asks only while nobody has rescheduled the task, so the claim succeeds."""
        self.claim(TIMED_OUT)
        return Abort.SUCCEEDED

    def wake(self) -> None:
        if self.outcome != TIMED_OUT:
            reschedule(self._task)


class TaskGroup(ScopedGroup):
    """A trio nursery that leaves each exception once, and interrupts bare."""

    open_group = trio.open_nursery
    new_scope = trio.CancelScope
    waiter_type = _Waiter
    checkpoint = staticmethod(checkpoint)

    @staticmethod
    def cancelled_type() -> type[BaseException]:
        """`trio.Cancelled`."""
        return Cancelled


class Channel(AsyncChannel):
    """A channel between the tasks of one run."""

    _new_waiter = _Waiter
    _turns = turns()
    _visit_scheduler = staticmethod(checkpoint)

    def __new__(cls, capacity: float = 0, name: str | None = None) -> Self:
        return super().__new__(_Unbounded if capacity == math.inf and cls is Channel else cls)  # type: ignore[return-value]


async def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait for the first of several channels; see `concmodels.contract.Room.select`."""
    return await select_async(Channel, cases, timeout, priority)


class Pool(AsyncPool):
    """Workers that are tasks; see `concmodels.contract.AsyncPool`."""

    Channel = Channel
    TaskGroup = TaskGroup
    here = staticmethod(current_task)
    cancelled_type = staticmethod(TaskGroup.cancelled_type)


class _Unbounded(AsyncUnbounded, Channel):
    """`Channel(math.inf)`: nobody waits for room."""
