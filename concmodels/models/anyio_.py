"""anyio: one API over asyncio and trio.

unit          one anyio task per task, which is a task of the backend
scheduler     the backend's loop; cooperative
message       by reference
parallel      no: one loop, one thread
cancellation  by scope as in trio, on both backends: swallowed, it is raised again at every wait

`anyio` runs on asyncio, `anyio:trio` on trio; the code below is the same. Groups, scopes and clocks are anyio's own. A
task that waits does so as in the models of the backends, on a future or until trio reschedules it: its
partner must see whether it has been cancelled, and an `anyio.Event` does not show that.

Limitations: as for its backends. To see a deadlock, the model looks at the backend's loop itself, which anyio does not
show; what hides one is said in the models of asyncio and trio.
"""

import asyncio
import math
import sys
import time
from asyncio import CancelledError as Cancelled
from asyncio import Future, current_task, get_running_loop

import anyio
import anyio.lowlevel

from concmodels.errors import ChannelClosed, Terminated
from concmodels.models.deadlocks.loops import AsyncioDetector, TrioDetector
from concmodels.models.deadlocks.report import DEADLOCK_AFTER, patience
from concmodels.models.pools.awaited import AsyncPool
from concmodels.models.sharing import share
from concmodels.models.tasks.failures import bare_interrupts
from concmodels.models.tasks.loop_interrupts import LoopGuard, MainSight, cancel_again
from concmodels.models.tasks.nesting import Loop, refusal_in_loop
from concmodels.models.tasks.nursery import NurseryGroup
from concmodels.models.variant import Model
from concmodels.models.waiting.channel import NOTHING, SingleThreadChannel, UnboundedChannel, yield_every
from concmodels.models.waiting.postponed import postpone, postponed, raise_postponed
from concmodels.models.waiting.select import select_async
from concmodels.models.waiting.timeouts import expired, seconds_to_sleep
from concmodels.models.waiting.waiter import DONE, TIMED_OUT, SingleThreadWaiter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Awaitable, Callable
    from types import CodeType
    from typing import Any, Self

    from concmodels.errors import Selected
    from concmodels.models.waiting.waiter import Waiter

__all__ = ["Cancelled", "Channel", "Pool", "TaskGroup", "now", "run", "select", "share", "sleep", "variant"]

now = time.monotonic


def run[R](main: Callable[..., Awaitable[R]], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` on asyncio and return its result; see `concmodels.contract.Model.run`."""
    return _run("asyncio", main, args, deadlock_after)


def _run_on_trio[R](main: Callable[..., Awaitable[R]], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` on trio and return its result; see `concmodels.contract.Model.run`."""
    return _run("trio", main, args, deadlock_after)


def _run[R](backend: str, main: Callable[..., Awaitable[R]], args: tuple[Any, ...], deadlock_after: float | None) -> R:
    model = "anyio" if backend == "asyncio" else f"anyio:{backend}"
    if running := _backend_here():
        raise refusal_in_loop(model, running)
    seconds = patience(deadlock_after)
    with bare_interrupts(), Loop(model, backend):
        return anyio.run(_guarded, main, args, seconds, backend=backend)


def _backend_here() -> str | None:
    """The library whose loop runs in this thread; anyio starts no second one beside it, not even of the other kind."""
    try:
        return "asyncio" if anyio.get_cancelled_exc_class() is Cancelled else "trio"
    except RuntimeError:
        return None


async def _guarded[R](main: Callable[..., Awaitable[R]], args: tuple[Any, ...], seconds: float | None) -> R:
    loop: Any = anyio.lowlevel.current_token().native_token
    soon = getattr(loop, "run_sync_soon", None)  # only trio has it
    scope, exits = anyio.CancelScope(), (NurseryGroup.__aexit__.__code__,)
    kind = AsyncioDetector if soon is None else TrioDetector
    with _guard(loop, exits, scope.cancel) as guard, kind(seconds, scope.cancel) as detector:
        with scope:
            result = await main(*args)
            if soon is None:
                raise_postponed()  # else a signal in the turn of main's last operation would be lost
            return result
        guard.raise_cancelled()
        raise detector.verdict()  # nothing else cancels this scope


def _guard(loop: Any, exits: tuple[CodeType, ...], cancel: Callable[[], object]) -> LoopGuard:
    if hasattr(loop, "run_sync_soon"):
        from trio import Cancelled as trio_cancelled
        from trio.lowlevel import current_task

        task = current_task()
        sight = MainSight(lambda: task.coro, exits, (KeyboardInterrupt, Terminated, trio_cancelled))
        return LoopGuard(loop.run_sync_soon, sight, cancel)
    main: Any = asyncio.current_task()
    sight = MainSight(main.get_coro, exits, (Cancelled, KeyboardInterrupt, Terminated))
    return LoopGuard(loop.call_soon_threadsafe, sight, cancel, lambda: cancel_again(main))


async def sleep(seconds: float) -> None:
    """Sleep; the other tasks run meanwhile. A checkpoint."""
    await anyio.sleep(seconds_to_sleep(seconds))


class _FutureWaiter(SingleThreadWaiter):
    """On asyncio: a task waits for a future of its own, and is woken by its result."""

    __slots__ = ("future", "task")

    def __init__(self, item: Any = None, purpose: Any = None) -> None:
        self.item = item
        self.outcome = ""
        self.purpose = purpose
        self.future: Future[None] = Future()
        self.task: Any = current_task()

    def claim(self, outcome: str) -> bool:
        """As `Waiter.claim`; a task that has been cancelled but has not run yet waits no longer."""
        self.task.concmodels_wait = None
        if self.outcome or self.future.cancelled():
            return False
        self.outcome = outcome
        return True

    def park(self, timeout: float | None) -> Awaitable[None]:
        """Wait until woken, at most `timeout` seconds. Raises a postponed cancellation instead."""
        if postponed:
            raise_postponed()
        if timeout is not None:
            return self._park(timeout)
        self.task.concmodels_wait = self  # until it is claimed
        return self.future

    async def _park(self, timeout: float) -> None:
        timer = get_running_loop().call_later(float(timeout), self.finish, TIMED_OUT)
        try:
            await self.future
        finally:
            timer.cancel()

    def wake(self) -> None:
        self.future.set_result(None)  # it is not cancelled: then it could not have been claimed

    def put_off(self, error: BaseException) -> None:
        """As `Waiter.put_off`."""
        postpone(error)


class _TrioWaiter(SingleThreadWaiter):
    """On trio: a task waits until it is rescheduled, and is woken by just that."""

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
        self.task.custom_sleep_data = self  # trio sets it to None when it reschedules the task
        return self.lowlevel.wait_task_rescheduled(self.abort)

    async def _park(self, timeout: float) -> None:
        with anyio.move_on_after(float(timeout)):
            await self.lowlevel.wait_task_rescheduled(self.abort)

    def abort(self, _raise_cancel: object) -> Any:
        """Let trio cancel the wait. It asks only while nothing has rescheduled the task, so the claim succeeds."""
        self.claim(TIMED_OUT)
        return self.lowlevel.Abort.SUCCEEDED

    def wake(self) -> None:
        if self.outcome != TIMED_OUT:
            self.lowlevel.reschedule(self.task)


def _native_task() -> Any:
    """Return the backend's own task that runs here."""
    trio = sys.modules.get("trio")  # as long as nothing has imported it, no task runs in it
    return trio.lowlevel.current_task() if trio is not None and trio.lowlevel.in_trio_task() else current_task()


def _new_waiter(item: Any = None, purpose: Any = None) -> Waiter:
    """Make a waiter of the backend's own kind."""
    trio = sys.modules.get("trio")  # see above
    if trio is not None and trio.lowlevel.in_trio_task():
        return _TrioWaiter(item, purpose, trio.lowlevel)
    return _FutureWaiter(item, purpose)


class TaskGroup(NurseryGroup):
    """An anyio task group that leaves each exception once, and interrupts bare."""

    open_group = anyio.create_task_group
    new_scope = anyio.CancelScope
    waiter_type = staticmethod(_new_waiter)
    here = staticmethod(_native_task)
    checkpoint = staticmethod(anyio.lowlevel.checkpoint)
    cancelled_type = staticmethod(anyio.get_cancelled_exc_class)


class Channel(SingleThreadChannel):
    """A channel between the tasks of one run."""

    _new_waiter = staticmethod(_new_waiter)
    _yields = yield_every()
    _checkpoint = staticmethod(anyio.lowlevel.checkpoint)

    def __new__(cls, capacity: float = 0, name: str | None = None) -> Self:
        return super().__new__(_Unbounded if capacity == math.inf and cls is Channel else cls)  # type: ignore[return-value]

    async def send(self, item: Any, timeout: float | None = None) -> None:
        """Send, waiting for room; on a rendezvous, until the item is taken.

        `timeout` is in seconds. Raises `ChannelClosed` or `TimeoutError`: then the item has reached nobody.
        """
        if next(self._yields):
            await self._checkpoint()
        buffer = self._buffer
        if len(buffer) < self._room:  # the fast path: there is room, and no receiver waits
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
        """Receive until the channel is closed and drained; not a generator, so that a `break` leaves nothing open."""
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
            waiter.put_off(error)  # a partner was first: this operation has happened
        if waiter.outcome != DONE:
            self._settle(waiter, queue)
        return waiter.item


async def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait for the first of several channels; see `concmodels.contract.Model.select`."""
    return await select_async(Channel, cases, timeout, priority)


class Pool(AsyncPool):
    """Workers that are tasks; see `concmodels.contract.AsyncPool`."""

    Channel = Channel
    TaskGroup = TaskGroup
    here = staticmethod(anyio.get_current_task)
    cancelled_type = staticmethod(anyio.get_cancelled_exc_class)

    @staticmethod
    def is_cancelled() -> bool:
        """Whether this task was cancelled, and not only something that it awaited."""
        return anyio.get_current_task().has_pending_cancellation()


class _Unbounded(UnboundedChannel, Channel):
    """`Channel(math.inf)`: no sender ever waits, so `send` is one append."""

    async def send(self, item: Any, timeout: float | None = None) -> None:
        """Send; there is always room. Raises `ChannelClosed`."""
        if next(self._yields):
            await self._checkpoint()
        self._put(item)

    async def __anext__(self) -> Any:
        """As `Channel.__anext__`, with the wait written out: one coroutine less on the way of each message."""
        buffer = self._buffer
        if len(buffer) and next(self._yields):
            await self._checkpoint()
        if buffer:
            return buffer.popleft()
        if self._closed:
            raise StopAsyncIteration
        waiter = self._new_waiter(None, self)
        self._queue(waiter, self._receivers)
        try:
            await waiter.park(None)
        except BaseException as error:
            if self._withdraw(waiter, self._receivers):
                raise
            waiter.put_off(error)
        if waiter.outcome != DONE:
            raise StopAsyncIteration  # it was closed
        return waiter.item


def variant(name: str) -> Model:
    """The model on trio."""
    if name != "trio":
        raise KeyError(name)
    from trio import Cancelled as trio_cancelled  # only here: on asyncio trio need not be installed

    return Model(
        "anyio:trio",
        run=_run_on_trio,
        select=select,
        sleep=sleep,
        now=now,
        Channel=Channel,
        TaskGroup=TaskGroup,
        find_pool=lambda: Pool,
        share=share,
        Cancelled=trio_cancelled,
    )
