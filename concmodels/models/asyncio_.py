"""asyncio: coroutines on the standard library's event loop.

unit          one `asyncio.Task` per task
scheduler     the event loop, first come, first served; cooperative: others run at an `await` that has to wait
message       by reference
parallel      no: one loop, one thread (and one loop per thread on a free-threaded build)
cancellation  `asyncio.CancelledError`, delivered once: swallowed, it is not raised again

Limitations: code that computes or blocks stops the whole loop. A deadlock is seen on asyncio's own event loop, and
while every task waits in this model: not behind an asynchronous generator, `gather` or `shield`, nor beside a foreign
thread, a signal handler, a timer, a socket.
"""

import asyncio
import math
import time
from asyncio import CancelledError as Cancelled
from asyncio import get_running_loop
from itertools import count

from concmodels.errors import TaskCancelled, Terminated
from concmodels.models.deadlocks.loops import EdgeWatch
from concmodels.models.deadlocks.report import DEADLOCK_AFTER, patience
from concmodels.models.pools.awaited import AsyncPool
from concmodels.models.sharing import share
from concmodels.models.tasks.failures import ExceptionCollector, Wrapped, bare_interrupts, wrapped
from concmodels.models.tasks.loop_interrupts import LoopGuard, MainSight, cancel_again
from concmodels.models.tasks.nesting import Loop, refusal_in_loop
from concmodels.models.waiting.asyncio_waiter import FutureWaiter, raise_postponed
from concmodels.models.waiting.awaited import AsyncChannel, AsyncEvent, AsyncUnbounded
from concmodels.models.waiting.channel import turns
from concmodels.models.waiting.select import select_async
from concmodels.models.waiting.timeouts import seconds_to_sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import TracebackType
    from typing import Any, Self

    from concmodels.errors import Selected

__all__ = ["Cancelled", "Channel", "Pool", "TaskGroup", "now", "run", "select", "share", "sleep"]

now = time.monotonic
_numbers = count(1)


def run[R](main: Callable[..., Coroutine[Any, Any, R]], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` on a new event loop and return its result; see `concmodels.contract.Model.run`."""
    if asyncio._get_running_loop() is not None:
        raise refusal_in_loop("asyncio", "asyncio")
    seconds = patience(deadlock_after)
    with bare_interrupts(), Loop("asyncio", "asyncio"):
        return asyncio.run(_guarded(main, args, seconds))


async def _guarded[R](main: Callable[..., Coroutine[Any, Any, R]], args: tuple[Any, ...], seconds: float | None) -> R:
    task = asyncio.current_task()
    assert task is not None
    exits = (TaskGroup.__aexit__.__code__,)
    sight = MainSight(task.get_coro, exits, (Cancelled, KeyboardInterrupt, Terminated))
    with (
        LoopGuard(get_running_loop().call_soon_threadsafe, sight, task.cancel, lambda: cancel_again(task)) as guard,
        EdgeWatch(seconds, task.cancel, exits),
    ):
        try:
            result = await main(*args)
            raise_postponed()  # else a signal in the turn of main's last operation would be lost
            return result
        except asyncio.CancelledError:
            guard.raise_cancelled()
            raise


async def sleep(seconds: float) -> None:
    """Sleep; the other tasks run meanwhile. A checkpoint."""
    await asyncio.sleep(seconds_to_sleep(seconds))


class Task:
    """The handle of an `asyncio.Task`."""

    def __init__(self, native: asyncio.Task[Any]) -> None:
        self._native = native
        self._ended = AsyncEvent(FutureWaiter)
        native.add_done_callback(lambda _: self._ended.set())

    @property
    def name(self) -> str:
        """Its name."""
        return self._native.get_name()

    def cancel(self) -> None:
        """Ask the task to end: `Cancelled` is raised where it waits."""
        self._native.cancel()

    def done(self) -> bool:
        """Whether it has ended, however it ended."""
        return self._native.done()

    async def result(self, timeout: float | None = None) -> Any:
        """Wait for its end; return what it returned or raise what it raised; see `concmodels.contract.Task`."""
        if not self._native.done():
            await self._ended.wait(timeout)
        await asyncio.sleep(0)  # who is cancelled too learns of that, and not of the other's end
        if self._native.cancelled():
            raise TaskCancelled(f"task {self.name!r} was cancelled")
        try:
            return self._native.result()
        except Wrapped as wrapper:
            raise wrapper.error from wrapper.error.__cause__


class _Stop(Exception):
    """Raised in a group by a task of its own to end it; never leaves the group."""


async def _stop() -> None:
    raise _Stop


async def _carry[R](function: Callable[..., Coroutine[Any, Any, R]], args: tuple[Any, ...]) -> R:
    with wrapped():
        result = await function(*args)
    task = asyncio.current_task()
    while task is not None and task.cancelling():
        task.uncancel()  # whoever cancelled it came too late: it returns, and asyncio would call it cancelled
    return result


class TaskGroup:
    """An `asyncio.TaskGroup` that leaves each exception once and can be cancelled."""

    _native: Any

    async def __aenter__(self) -> Self:
        self._native = asyncio.TaskGroup()
        await self._native.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        stopped = False
        try:
            await self._native.__aexit__(kind, error, trace)
        except BaseExceptionGroup as group:
            ExceptionCollector.of(group, _Stop).raise_all()
            stopped = True
        await asyncio.sleep(0)  # a checkpoint, which asyncio's own group is only if it has to wait
        return stopped

    def spawn(self, function: Callable[..., Coroutine[Any, Any, Any]], *args: Any, name: str | None = None) -> Task:
        """Start `function(*args)` as a task. Raises `RuntimeError` if the group is not open (any more)."""
        if not hasattr(self, "_native"):
            raise RuntimeError("this group is not open: spawn inside its `async with`")
        name = name or f"{getattr(function, '__name__', 'task')}-{next(_numbers)}"
        return Task(self._native.create_task(_carry(function, args), name=name))

    def cancel(self) -> None:
        """Cancel all its tasks and the body; the `async with` is then left without an error."""
        stop = _stop()
        try:
            # How asyncio's documentation ends a group; 3.15 has TaskGroup.cancel(). It begins at once, so that the body
            # is cancelled before its next checkpoint.
            self._native.create_task(stop, eager_start=True)
        except RuntimeError:
            stop.close()  # it has ended, or is ending already

    def is_ending(self) -> bool:
        """Whether its tasks have been told to end."""
        return bool(self._native._aborting)

    def names(self) -> list[str]:
        """The names of the tasks that have not ended."""
        return [task.get_name() for task in self._native._tasks]


class Channel(AsyncChannel):
    """A channel between the tasks of one loop."""

    _new_waiter = FutureWaiter
    _turns = turns()

    async def _visit_scheduler(self) -> None:
        await asyncio.sleep(0)

    def __new__(cls, capacity: float = 0, name: str | None = None) -> Self:
        return super().__new__(_Unbounded if capacity == math.inf and cls is Channel else cls)  # type: ignore[return-value]


async def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait for the first of several channels; see `concmodels.contract.Model.select`."""
    return await select_async(Channel, cases, timeout, priority)


class Pool(AsyncPool):
    """Workers that are tasks; see `concmodels.contract.AsyncPool`."""

    Channel = Channel
    TaskGroup = TaskGroup
    here = staticmethod(asyncio.current_task)

    @staticmethod
    def cancelled_type() -> type[BaseException]:
        """`asyncio.CancelledError`."""
        return Cancelled

    @staticmethod
    def is_cancelled() -> bool:
        """Whether this task was cancelled, and not only something that it awaited."""
        task = asyncio.current_task()
        return task is None or task.cancelling() > 0


class _Unbounded(AsyncUnbounded, Channel):
    """`Channel(math.inf)`: nobody waits for room."""
