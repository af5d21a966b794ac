"""anyio: one API over asyncio and trio. A task waits for an asyncio future, or through `trio.lowlevel`.

unit          one anyio task per task, which is a task of the backend
scheduler     the backend's loop; cooperative
message       by reference
parallel      no: one loop, one thread
cancellation  by scope as in trio, on both backends: if suppressed, it is raised again at every wait
sockets       as in the model of the backend: an epoll of the model's own on asyncio, `trio.lowlevel` on trio

`anyio` runs on asyncio, `anyio:trio` on trio; the code below is the same. Groups, scopes and clocks are anyio's own,
but the waits are not: a partner must see whether a waiting task has been cancelled, and an `anyio.Event` does not show
that.

Limitations: as for its backends. To see a deadlock, the model looks at the backend's loop itself, which anyio does not
show; what hides one is described in the models of asyncio and trio.
"""

import math
import sys
import time
from asyncio import CancelledError as Cancelled
from asyncio import Future, current_task, get_running_loop

import anyio
import anyio.lowlevel

from concmodels.catalog import Variant
from concmodels.errors import ChannelClosed
from concmodels.models.waiting.channel import NOTHING, SingleThreadChannel
from concmodels.models.waiting.select import select_async
from concmodels.models.waiting.timeouts import expired, seconds_to_sleep
from concmodels.models.waiting.waiter import DONE, TIMED_OUT, SingleThreadWaiter

# isort: split
# Beside the core: signals, deadlocks, sockets, pools.
from concmodels.models.deadlocks.loops import AsyncioDetector, TrioDetector
from concmodels.models.deadlocks.report import DEADLOCK_AFTER, patience
from concmodels.models.pools.awaited import AsyncPool
from concmodels.models.sharing import share
from concmodels.models.tasks.nesting import Loop, refusal_in_loop
from concmodels.models.tasks.nursery import NurseryGroup
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
    from collections.abc import Awaitable, Callable
    from typing import Any, Self

    from concmodels.errors import Selected
    from concmodels.models.waiting.sockets.waits import HasFileno
    from concmodels.models.waiting.waiter import Waiter

__all__ = [
    "Cancelled", "Channel", "Pool", "TaskGroup", "notify_closing", "now", "run", "select", "share", "sleep", "variant",
    "wait_readable", "wait_writable",
]  # fmt: skip

now = time.monotonic


class _FutureWaiter(SingleThreadWaiter):
    """One wait of one task on asyncio: the task awaits a future of its own, whose result `wake` sets.

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
        """As `Waiter.postpone`."""
        postpone(error)


class _TrioWaiter(SingleThreadWaiter):
    """The same on trio: the task sleeps until `wake` reschedules it."""

    __slots__ = ("lowlevel", "task")

    def __init__(self, item: Any, purpose: Any, lowlevel: Any) -> None:
        self.item = item
        self.outcome = ""
        self.purpose = purpose
        self.lowlevel = lowlevel
        self.task = lowlevel.current_task()

    def park(self, timeout: float | None) -> Any:
        """Wait until woken, at most `timeout` seconds."""
        if timeout is not None:
            return self._park(timeout)
        self.task.custom_sleep_data = self  # for the deadlock detector; trio resets it when it reschedules the task
        return self.lowlevel.wait_task_rescheduled(self.abort)

    async def _park(self, timeout: float) -> None:
        with anyio.move_on_after(float(timeout)):
            await self.lowlevel.wait_task_rescheduled(self.abort)

    def abort(self, _raise_cancel: object) -> Any:
        """Let trio end the wait. It asks only while nothing has rescheduled the task, so this is the first claim."""
        self.claim(TIMED_OUT)
        return self.lowlevel.Abort.SUCCEEDED

    def wake(self) -> None:
        self.lowlevel.reschedule(self.task)


def _native_task() -> Any:
    """Return the backend's own task that runs here."""
    trio = sys.modules.get("trio")  # until something has imported it, no task runs in it
    return trio.lowlevel.current_task() if trio is not None and trio.lowlevel.in_trio_task() else current_task()


def _new_waiter(item: Any = None, purpose: Any = None) -> Waiter:
    """Make a waiter of the backend's own kind."""
    trio = sys.modules.get("trio")  # see above
    if trio is not None and trio.lowlevel.in_trio_task():
        return _TrioWaiter(item, purpose, trio.lowlevel)
    return _FutureWaiter(item, purpose)


class Channel(SingleThreadChannel):
    """A channel between the tasks of one run.

    The verbs that wait are here. The steps that do not are in `waiting/channel.py`: `_offer` hands an item to the first
    waiting receiver or buffers it, `_take` takes the oldest item and lets a waiting sender go on.
    """

    _new_waiter = staticmethod(_new_waiter)
    _yields = yield_every()
    _let_others_run = staticmethod(anyio.lowlevel.checkpoint)

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
    """An anyio task group that raises each exception once, and an interrupt or a deadlock bare."""

    open_group = anyio.create_task_group
    new_scope = anyio.CancelScope
    waiter_type = staticmethod(_new_waiter)
    here = staticmethod(_native_task)
    clock = staticmethod(anyio.current_time)
    checkpoint = staticmethod(anyio.lowlevel.checkpoint)
    cancelled_type = staticmethod(anyio.get_cancelled_exc_class)


class Pool(AsyncPool):
    """Workers that are tasks; see `concmodels.contract.AsyncPool`."""

    Channel = Channel
    TaskGroup = TaskGroup
    here = staticmethod(anyio.get_current_task)
    cancelled_type = staticmethod(anyio.get_cancelled_exc_class)

    @staticmethod
    def is_cancelled() -> bool:
        """Return whether this task itself was cancelled, and not only something that it awaited."""
        return anyio.get_current_task().has_pending_cancellation()


@async_run_of("anyio")
def run[R](main: Callable[..., Awaitable[R]], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` on asyncio and return its result; see `concmodels.contract.Model.run`."""
    return _run("asyncio", main, args, deadlock_after)


@async_run_of("anyio:trio")
def _run_on_trio[R](main: Callable[..., Awaitable[R]], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` on trio and return its result; see `concmodels.contract.Model.run`."""
    return _run("trio", main, args, deadlock_after)


def _run[R](backend: str, main: Callable[..., Awaitable[R]], args: tuple[Any, ...], deadlock_after: float | None) -> R:
    model = "anyio" if backend == "asyncio" else f"anyio:{backend}"
    if running := _backend_here():
        raise refusal_in_loop(model, running)
    seconds = patience(deadlock_after)
    try:
        with Loop(model, backend, needs_wakeup_fd=backend == "trio"):
            return anyio.run(_guarded, main, args, seconds, backend=backend)
    finally:
        close_ended()


def _backend_here() -> str | None:
    """Return the library whose loop runs in this thread: beside it anyio starts no other. None if there is none."""
    try:
        return "asyncio" if anyio.get_cancelled_exc_class() is Cancelled else "trio"
    except RuntimeError:
        return None


async def _guarded[R](main: Callable[..., Awaitable[R]], args: tuple[Any, ...], seconds: float | None) -> R:
    """Call main so that a signal or a deadlock can cancel it, and raise what did."""
    loop: Any = anyio.lowlevel.current_token().native_token
    soon = getattr(loop, "run_sync_soon", None)  # only trio has it
    scope = anyio.CancelScope()
    kind = AsyncioDetector if soon is None else TrioDetector
    with _guard(loop, scope.cancel) as guard, kind(seconds, scope.cancel) as detector:
        with scope:
            result = await main(*args)
            if soon is None:
                raise_postponed()  # or a signal that came in the turn of main's last operation would be lost
            return result
        # The scope was cancelled: for a signal, which is raised next, or else for a deadlock.
        guard.raise_cancelled()
        raise detector.verdict()


def _guard(loop: Any, cancel: Callable[[], object]) -> LoopGuard:
    if hasattr(loop, "run_sync_soon"):
        return LoopGuard(loop.run_sync_soon, _native_task(), cancel)
    return LoopGuard(loop.call_soon_threadsafe, _native_task(), cancel, breaks_off=True)


async def sleep(seconds: float) -> None:
    """Sleep; the other tasks run meanwhile. A checkpoint."""
    await anyio.sleep(seconds_to_sleep(seconds))


async def wait_readable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket can be read or accepted from; see `concmodels.contract.Model.wait_readable`."""
    await _wait(socket, READABLE, timeout)


async def wait_writable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket accepts bytes; see `concmodels.contract.Model.wait_writable`."""
    await _wait(socket, WRITABLE, timeout)


def _wait(socket: HasFileno, direction: str, timeout: float | None) -> Awaitable[None]:
    """Wait in the backend's own way."""
    trio = sys.modules.get("trio")  # see above
    if trio is not None and trio.lowlevel.in_trio_task():
        from concmodels.models.waiting.sockets.trio import wait_in_trio

        return wait_in_trio(socket, direction, timeout)
    return wait_on_loop(socket, direction, timeout)


def notify_closing(socket: HasFileno) -> None:
    """Wake the tasks that wait for this socket; see `concmodels.contract.Model.notify_closing`."""
    trio = sys.modules.get("trio")  # see above
    if trio is not None and trio.lowlevel.in_trio_task():
        from concmodels.models.waiting.sockets.trio import notify_closing_in_trio

        notify_closing_in_trio(socket)
    else:
        notify_closing_on_loop(socket)


def variant(name: str) -> Variant:
    """Return the model that runs on trio. Raises `KeyError` for another name."""
    if name != "trio":
        raise KeyError(name)
    from trio import Cancelled as trio_cancelled  # only here: on asyncio trio need not be installed

    return Variant("anyio:trio", __name__, run=_run_on_trio, Cancelled=trio_cancelled)
