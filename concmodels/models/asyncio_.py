"""asyncio: coroutines on the standard library's event loop.

unit          one `asyncio.Task` per task
scheduler     the event loop, first come, first served; cooperative: others run at an `await` that has to wait
message       by reference
parallel      no: one loop, one thread (and one loop per thread on a free-threaded build)
cancellation  `asyncio.CancelledError`, raised once: if a task suppresses it, it is not raised again
sockets       an epoll of the model's own, which the loop watches; asyncio itself would register a socket for each wait

Limitations: code that computes or blocks stops the whole loop. A deadlock is seen only on asyncio's own event loop, if
every task waits in this model, not in `gather` or `shield`, and if there is no other thread, no signal handler, no
timer and no socket: any of these might wake a task.
"""

import asyncio
import math
import time
from asyncio import CancelledError as Cancelled
from asyncio import Future, current_task, get_running_loop

from concmodels.errors import ChannelClosed
from concmodels.models.waiting.channel import NOTHING, SingleThreadChannel
from concmodels.models.waiting.select import select_async
from concmodels.models.waiting.timeouts import expired, seconds_to_sleep
from concmodels.models.waiting.waiter import DONE, TIMED_OUT, SingleThreadWaiter

# isort: split
# Beside the core: signals, deadlocks, sockets, pools.
from concmodels.models.deadlocks.loops import EdgeAsyncioDetector
from concmodels.models.deadlocks.report import DEADLOCK_AFTER, patience
from concmodels.models.pools.awaited import AsyncPool
from concmodels.models.sharing import share
from concmodels.models.tasks.asyncio_group import AsyncioGroup
from concmodels.models.tasks.nesting import Loop, refusal_in_loop
from concmodels.models.tasks.runs import async_run_of
from concmodels.models.tasks.signals.loop_guard import LoopGuard
from concmodels.models.waiting.postponed import postpone, postponed, raise_postponed
from concmodels.models.waiting.sockets.loops import close_ended, notify_closing_on_loop, wait_on_loop
from concmodels.models.waiting.sockets.waits import READABLE, WRITABLE
from concmodels.models.waiting.unbounded import UnboundedCoroutines
from concmodels.models.waiting.yields import yield_every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Awaitable, Callable, Coroutine
    from typing import Any, Self

    from concmodels.errors import Selected
    from concmodels.models.waiting.sockets.waits import HasFileno

__all__ = [
    "Cancelled", "Channel", "Pool", "TaskGroup", "notify_closing", "now", "run", "select", "share", "sleep",
    "wait_readable", "wait_writable",
]  # fmt: skip

now = time.monotonic


class _Waiter(SingleThreadWaiter):
    """One wait of one task: the task awaits a future of its own, whose result `wake` sets.

    A partner that finds the waiter in the queue of a channel calls `claim(DONE)`, gives or takes the `item`, and calls
    `wake`. A close or a timeout claims it too, and after a cancellation no claim succeeds. Only the first one does
    (`waiting/waiter.py`), so an operation that a partner has claimed is done: a later cancellation is put off.
    """

    __slots__ = ("future", "task")

    def __init__(self, item: Any = None, purpose: Any = None) -> None:
        self.item = item
        self.outcome = ""
        self.purpose = purpose
        self.future: Future[None] = Future()
        self.task: Any = current_task()

    def claim(self, outcome: str) -> bool:
        """As `Waiter.claim`; fails also if the task has been cancelled, though it has not run yet."""
        if self.outcome or self.future.cancelled():
            return self._has_left()
        self.task.concmodels_wait = None
        self.outcome = outcome
        return True

    def park(self, timeout: float | None) -> Awaitable[None]:
        """Wait until woken, at most `timeout` seconds; if a cancellation was postponed, raise that instead."""
        if postponed:
            raise_postponed()
        if timeout is not None:
            return self._park(timeout)
        self.task.concmodels_wait = self  # for the deadlock detector, until it is claimed
        return self.future

    async def _park(self, timeout: float) -> None:
        timer = get_running_loop().call_later(float(timeout), self.finish, TIMED_OUT)
        try:
            await self.future
        finally:
            timer.cancel()

    def wake(self) -> None:
        self.future.set_result(None)  # not cancelled yet: a waiter whose future is cancelled can't be claimed

    def finish(self, outcome: str) -> bool:
        """As `Waiter.finish`, written out: every message to a task that waits comes through here."""
        if self.outcome or self.future.cancelled():
            return self._has_left()
        self.task.concmodels_wait = None
        self.outcome = outcome
        self.future.set_result(None)
        return True

    def _has_left(self) -> bool:
        """Return False: the wait has ended already. If the task is in another wait by now, that one's note stays."""
        if getattr(self.task, "concmodels_wait", None) is self:
            self.task.concmodels_wait = None
        return False

    def postpone(self, error: BaseException) -> None:
        """As `Waiter.postpone`: `waiting/postponed.py` keeps the cancellation until the task's next wait."""
        postpone(error)


class Channel(SingleThreadChannel):
    """A channel between the tasks of one loop.

    The verbs that wait are here. The steps that do not are in `waiting/channel.py`: `_offer` hands an item to the first
    waiting receiver or buffers it, `_take` takes the oldest item and lets a waiting sender go on.
    """

    _new_waiter = _Waiter
    _yields = yield_every()

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

    @staticmethod
    async def _let_others_run() -> None:
        await asyncio.sleep(0)


class _Unbounded(UnboundedCoroutines, Channel):
    """`Channel(math.inf)`, which is only faster: see `waiting/unbounded.py`."""


async def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait in the queues of several channels, with one waiter; see `concmodels.contract.Model.select`."""
    return await select_async(Channel, cases, timeout, priority)


class TaskGroup(AsyncioGroup):
    """An `asyncio.TaskGroup` that raises each exception once, and that can be cancelled."""

    waiter_type = _Waiter


class Pool(AsyncPool):
    """Workers that are tasks; see `concmodels.contract.AsyncPool`."""

    Channel = Channel
    TaskGroup = TaskGroup
    here = staticmethod(asyncio.current_task)

    @staticmethod
    def cancelled_type() -> type[BaseException]:
        """Return `asyncio.CancelledError`."""
        return Cancelled

    @staticmethod
    def is_cancelled() -> bool:
        """Return whether this task itself was cancelled, and not only something that it awaited."""
        task = asyncio.current_task()
        return task is None or task.cancelling() > 0


@async_run_of("asyncio")
def run[R](main: Callable[..., Coroutine[Any, Any, R]], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` on a new event loop and return its result; see `concmodels.contract.Model.run`."""
    if asyncio._get_running_loop() is not None:
        raise refusal_in_loop("asyncio", "asyncio")
    seconds = patience(deadlock_after)
    try:
        with Loop("asyncio", "asyncio"):
            return asyncio.run(_guarded(main, args, seconds))
    finally:
        close_ended()


async def _guarded[R](main: Callable[..., Coroutine[Any, Any, R]], args: tuple[Any, ...], seconds: float | None) -> R:
    """Call main so that a signal or a deadlock can cancel it, and raise what did."""
    task = asyncio.current_task()
    assert task is not None
    with (
        LoopGuard(get_running_loop().call_soon_threadsafe, task, task.cancel, breaks_off=True) as guard,
        EdgeAsyncioDetector(seconds, task.cancel),
    ):
        try:
            result = await main(*args)
            raise_postponed()  # or a signal that came in the turn of main's last operation would be lost
            return result
        except asyncio.CancelledError:
            guard.raise_cancelled()
            raise


async def sleep(seconds: float) -> None:
    """Sleep; the other tasks run meanwhile. A checkpoint."""
    await asyncio.sleep(seconds_to_sleep(seconds))


async def wait_readable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket can be read or accepted from; see `concmodels.contract.Model.wait_readable`."""
    await wait_on_loop(socket, READABLE, timeout)


async def wait_writable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket accepts bytes; see `concmodels.contract.Model.wait_writable`."""
    await wait_on_loop(socket, WRITABLE, timeout)


notify_closing = notify_closing_on_loop
