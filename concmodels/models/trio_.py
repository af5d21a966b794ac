"""trio: coroutines with structured concurrency from the ground up.

unit          one trio task per task
scheduler     trio's loop, in batches, every other of which runs backwards, by chance; cooperative
message       by reference
parallel      no: one loop, one thread
cancellation  `trio.Cancelled`, by scope: swallowed, it is raised again at every wait until the scope is left

Limitations: code that computes or blocks stops all tasks. A task handed an item runs in the next batch, whose order is
not first come, first served. Ctrl-C is trio's own: it protects trio's code and this model's. A deadlock is seen while
every task waits in this model: not in a nursery or a lock of trio's own, nor beside a foreign thread (trio keeps its
workers for ten seconds), a signal handler, a deadline, a system task.
"""

import math
import time

import trio
from trio import Cancelled
from trio.lowlevel import checkpoint, current_task

from concmodels.errors import Terminated
from concmodels.models.deadlocks.loops import TrioWatch
from concmodels.models.deadlocks.report import DEADLOCK_AFTER, patience
from concmodels.models.pools.awaited import AsyncPool
from concmodels.models.sharing import share
from concmodels.models.tasks.failures import bare_interrupts
from concmodels.models.tasks.loop_interrupts import LoopGuard, MainSight
from concmodels.models.tasks.nesting import Loop, refusal_in_loop
from concmodels.models.tasks.nursery import NurseryGroup
from concmodels.models.waiting.awaited import AsyncChannel, AsyncUnbounded
from concmodels.models.waiting.channel import turns
from concmodels.models.waiting.select import select_async
from concmodels.models.waiting.timeouts import seconds_to_sleep
from concmodels.models.waiting.trio_waiter import RescheduledWaiter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any, Self

    from concmodels.errors import Selected

__all__ = ["Cancelled", "Channel", "Pool", "TaskGroup", "now", "run", "select", "share", "sleep"]

now = time.monotonic


def run[R](main: Callable[..., Awaitable[R]], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` on a new trio loop and return its result; see `concmodels.contract.Model.run`."""
    if trio.lowlevel.in_trio_run():
        raise refusal_in_loop("trio", "trio")
    seconds = patience(deadlock_after)
    with bare_interrupts(), Loop("trio", "trio"):
        return trio.run(_guarded, main, args, seconds)


async def _guarded[R](main: Callable[..., Awaitable[R]], args: tuple[Any, ...], seconds: float | None) -> R:
    scope, exits = trio.CancelScope(), (NurseryGroup.__aexit__.__code__,)
    task, interrupts = current_task(), (KeyboardInterrupt, Terminated, Cancelled)
    sight = MainSight(lambda: task.coro, exits, interrupts)
    with (
        LoopGuard(trio.lowlevel.current_trio_token().run_sync_soon, sight, scope.cancel) as guard,
        TrioWatch(seconds, scope.cancel, exits) as watch,
    ):
        with scope:
            return await main(*args)
        guard.raise_cancelled()
        raise watch.verdict()  # nobody else cancels this scope


async def sleep(seconds: float) -> None:
    """Sleep; the other tasks run meanwhile. A checkpoint."""
    await trio.sleep(seconds_to_sleep(seconds))


class TaskGroup(NurseryGroup):
    """A trio nursery that leaves each exception once, and interrupts bare."""

    open_group = trio.open_nursery
    new_scope = trio.CancelScope
    waiter_type = RescheduledWaiter
    checkpoint = staticmethod(checkpoint)

    @staticmethod
    def cancelled_type() -> type[BaseException]:
        """`trio.Cancelled`."""
        return Cancelled


class Channel(AsyncChannel):
    """A channel between the tasks of one run."""

    _new_waiter = RescheduledWaiter
    _turns = turns()
    _visit_scheduler = staticmethod(checkpoint)

    def __new__(cls, capacity: float = 0, name: str | None = None) -> Self:
        return super().__new__(_Unbounded if capacity == math.inf and cls is Channel else cls)  # type: ignore[return-value]


async def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait for the first of several channels; see `concmodels.contract.Model.select`."""
    return await select_async(Channel, cases, timeout, priority)


class Pool(AsyncPool):
    """Workers that are tasks; see `concmodels.contract.AsyncPool`."""

    Channel = Channel
    TaskGroup = TaskGroup
    here = staticmethod(current_task)
    cancelled_type = staticmethod(TaskGroup.cancelled_type)


class _Unbounded(AsyncUnbounded, Channel):
    """`Channel(math.inf)`: nobody waits for room."""
