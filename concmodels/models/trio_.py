"""trio: coroutines with structured concurrency from the ground up.

unit          one trio task per task
scheduler     trio's loop; cooperative: in batches of tasks; each batch runs in order or, at random, reversed
message       by reference
parallel      no: one loop, one thread
cancellation  `trio.Cancelled`, by scope: if suppressed, it is raised again at every wait until the scope is left
sockets       `trio.lowlevel.wait_readable` and `wait_writable`

Limitations: code that computes or blocks stops all tasks. A task that is handed an item runs in the next batch, whose
order is not first come, first served. Ctrl-C is raised where trio would raise it: in the program's own code, or at the
next checkpoint of main, never inside of trio or this model. A deadlock is seen only if every task waits in this model,
not in a nursery or a lock of trio's own, and if there is no other thread (trio keeps its own for ten seconds), no
signal handler, no deadline and no system task: any of these might wake a task.
"""

import math
import time

import trio
from trio import Cancelled
from trio.lowlevel import Abort, checkpoint, current_task, reschedule, wait_task_rescheduled

from concmodels.errors import ChannelClosed
from concmodels.models.waiting.channel import NOTHING, SingleThreadChannel
from concmodels.models.waiting.select import select_async
from concmodels.models.waiting.timeouts import expired, seconds_to_sleep
from concmodels.models.waiting.waiter import DONE, TIMED_OUT, SingleThreadWaiter

# isort: split
# Beside the core: signals, deadlocks, sockets, pools.
from concmodels.models.deadlocks.loops import TrioDetector
from concmodels.models.deadlocks.report import DEADLOCK_AFTER, patience
from concmodels.models.pools.awaited import AsyncPool
from concmodels.models.sharing import share
from concmodels.models.tasks.nesting import Loop, refusal_in_loop
from concmodels.models.tasks.nursery import NurseryGroup
from concmodels.models.tasks.runs import async_run_of
from concmodels.models.tasks.signals.loop_guard import LoopGuard
from concmodels.models.waiting.sockets.trio import notify_closing_in_trio, wait_in_trio
from concmodels.models.waiting.sockets.waits import READABLE, WRITABLE
from concmodels.models.waiting.unbounded import UnboundedCoroutines
from concmodels.models.waiting.yields import yield_every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Awaitable, Callable
    from typing import Any, Self

    from concmodels.errors import Selected
    from concmodels.models.waiting.sockets.waits import HasFileno

__all__ = [
    "Cancelled", "Channel", "Pool", "TaskGroup", "notify_closing", "now", "run", "select", "share", "sleep",
    "wait_readable", "wait_writable",
]  # fmt: skip

now = time.monotonic


class _Waiter(SingleThreadWaiter):
    """One wait of one task: the task sleeps until `wake` reschedules it.

    A partner that finds the waiter in the queue of a channel calls `claim(DONE)`, gives or takes the `item`, and calls
    `wake`. A close, a timeout or a cancellation claims it too. Only the first claim succeeds (`waiting/waiter.py`):
    a wait ends for one reason, and an operation that a partner has claimed is done, whatever comes next.
    """

    __slots__ = ("task",)

    def __init__(self, item: Any = None, purpose: Any = None) -> None:
        self.item = item
        self.outcome = ""
        self.purpose = purpose
        self.task = current_task()

    def park(self, timeout: float | None) -> Awaitable[None]:
        """Wait until woken, at most `timeout` seconds."""
        if timeout is not None:
            return self._park(timeout)
        self.task.custom_sleep_data = self  # for the deadlock detector; trio resets it when it reschedules the task
        return wait_task_rescheduled(self.abort)

    async def _park(self, timeout: float) -> None:
        """Wait in a scope: to trio a timeout is a cancellation, too, of this scope, which catches it."""
        with trio.move_on_after(float(timeout)):
            await wait_task_rescheduled(self.abort)

    def abort(self, _raise_cancel: object) -> Abort:
        """Let trio end the wait, for a cancellation or for the timeout of `park`; partners see the claim.

        trio asks only while nothing has rescheduled the task, and a partner claims and reschedules in one step. So this
        claim succeeds, and an operation that a partner has done is never cancelled: it returns, and trio raises the
        cancellation at the next checkpoint. The outcome is `TIMED_OUT` for both. Nothing reads it after a cancellation,
        which leaves `park` as `Cancelled`.
        """
        self.claim(TIMED_OUT)
        return Abort.SUCCEEDED

    def wake(self) -> None:
        reschedule(self.task)

    def finish(self, outcome: str) -> bool:
        """As `Waiter.finish`, written out: every message to a task that waits comes through here."""
        if self.outcome:
            return False
        self.outcome = outcome
        reschedule(self.task)
        return True


class Channel(SingleThreadChannel):
    """A channel between the tasks of one run.

    The verbs that wait are here. The steps that do not are in `waiting/channel.py`: `_offer` hands an item to the first
    waiting receiver or buffers it, `_take` takes the oldest item and lets a waiting sender go on.
    """

    _new_waiter = _Waiter
    _yields = yield_every()
    _let_others_run = staticmethod(checkpoint)

    def __new__(cls, capacity: float = 0, name: str | None = None) -> Self:
        return super().__new__(_Unbounded if capacity == math.inf and cls is Channel else cls)  # type: ignore[return-value]

    async def send(self, item: Any, timeout: float | None = None) -> None:
        """Send, waiting for room; on a rendezvous, until the item is taken.

        `timeout` is in seconds. Raises `ChannelClosed` or `TimeoutError`; then no task has received the item.
        """
        if next(self._yields):
            await self._checkpoint()
        buffer = self._buffer
        if len(buffer) < self._room:  # there is room: the fast path (0 while a receiver waits, and once closed)
            buffer.append(item)
        elif not self._offer(item):
            await self._wait_for_partner(item, self._senders, timeout)

    async def receive(self, timeout: float | None = None) -> Any:
        """Receive the oldest item, waiting for one.

        `timeout` is in seconds. Raises `ChannelClosed` (closed and drained) or `TimeoutError`.
        """
        if next(self._yields):
            await self._checkpoint()
        item = self._take()
        return await self._wait_for_partner(None, self._receivers, timeout) if item is NOTHING else item

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        """Receive until closed and drained. Not an async generator: a `break` would leave one for the loop to close."""
        if next(self._yields):
            await self._checkpoint()
        if self._buffer and not self._senders:
            return self._buffer.popleft()
        try:
            item = self._take()
            return await self._wait_for_partner(None, self._receivers, None) if item is NOTHING else item
        except ChannelClosed:
            raise StopAsyncIteration from None

    async def _wait_for_partner(self, item: Any, queue: deque[Any], timeout: float | None) -> Any:
        """Wait in this queue for a partner; return the item that it brought."""
        if timeout is not None and expired(timeout):
            raise self._no_waiting(queue)
        waiter = self._new_waiter(item, self)
        self._queue(waiter, queue)
        try:
            await waiter.park(timeout)
        except BaseException as error:
            if self._withdraw(waiter, queue):
                raise
            waiter.postpone(error)  # a partner was first, so the operation is done: see `Waiter.postpone`
        self._yields.__setstate__(0)  # it was another's turn: the count begins anew
        if waiter.outcome != DONE:
            self._settle(waiter, queue)  # raises `ChannelClosed` or `TimeoutError`
        return waiter.item


class _Unbounded(UnboundedCoroutines, Channel):
    """`Channel(math.inf)`, which is only faster: see `waiting/unbounded.py`."""


async def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait in the queues of several channels, with one waiter; see `concmodels.contract.Model.select`."""
    return await select_async(Channel, cases, timeout, priority)


class TaskGroup(NurseryGroup):
    """A trio nursery that raises each exception once, and an interrupt or a deadlock bare, outside of any group.

    The base class also serves anyio. What the two libraries name differently is here.
    """

    open_group = trio.open_nursery
    new_scope = trio.CancelScope
    waiter_type = _Waiter
    here = staticmethod(current_task)
    clock = staticmethod(trio.current_time)
    checkpoint = staticmethod(checkpoint)

    @staticmethod
    def cancelled_type() -> type[BaseException]:
        """Return `trio.Cancelled`."""
        return Cancelled


class Pool(AsyncPool):
    """Workers that are tasks; see `concmodels.contract.AsyncPool`."""

    Channel = Channel
    TaskGroup = TaskGroup
    here = staticmethod(current_task)
    cancelled_type = staticmethod(TaskGroup.cancelled_type)


@async_run_of("trio")
def run[R](main: Callable[..., Awaitable[R]], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` on a new trio loop and return its result; see `concmodels.contract.Model.run`."""
    if trio.lowlevel.in_trio_run():
        raise refusal_in_loop("trio", "trio")
    seconds = patience(deadlock_after)
    with Loop("trio", "trio", needs_wakeup_fd=True):
        return trio.run(_guarded, main, args, seconds)


async def _guarded[R](main: Callable[..., Awaitable[R]], args: tuple[Any, ...], seconds: float | None) -> R:
    """Call main so that a signal or a deadlock can cancel it, and raise what did."""
    scope = trio.CancelScope()
    with (
        LoopGuard(trio.lowlevel.current_trio_token().run_sync_soon, current_task(), scope.cancel) as guard,
        TrioDetector(seconds, scope.cancel) as detector,
    ):
        with scope:
            return await main(*args)
        # The scope was cancelled: for a signal, which is raised next, or else for a deadlock.
        guard.raise_cancelled()
        raise detector.verdict()


async def sleep(seconds: float) -> None:
    """Sleep; the other tasks run meanwhile. A checkpoint."""
    await trio.sleep(seconds_to_sleep(seconds))


async def wait_readable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket can be read or accepted from; see `concmodels.contract.Model.wait_readable`."""
    await wait_in_trio(socket, READABLE, timeout)


async def wait_writable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket accepts bytes; see `concmodels.contract.Model.wait_writable`."""
    await wait_in_trio(socket, WRITABLE, timeout)


notify_closing = notify_closing_in_trio
