"""Tasks and groups for asyncio, whose own group raises some exceptions twice and could not be cancelled before 3.15."""

import asyncio
from itertools import count

from concmodels.errors import TaskCancelled
from concmodels.models.tasks.failures import ExceptionCollector, Wrapped, wrapped
from concmodels.models.waiting.calls import awaitable
from concmodels.models.waiting.limit import Limit
from concmodels.models.waiting.waiter import AsyncEvent, NativeWait, native_waits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import TracebackType
    from typing import Any, ClassVar, Self

    from concmodels.models.waiting.waiter import Waiter

_numbers = count(1)


class Task:
    """The handle of an `asyncio.Task`."""

    def __init__(self, native: asyncio.Task[Any], waiter_type: Callable[..., Waiter]) -> None:
        self._native = native
        self._ended = AsyncEvent(waiter_type)
        native.add_done_callback(lambda _: self._ended.set())

    @property
    def name(self) -> str:
        """The name of the task."""
        return self._native.get_name()

    def cancel(self) -> None:
        """Ask the task to end: `Cancelled` is raised where it waits."""
        self._native.cancel()

    def done(self) -> bool:
        """Return whether the task has ended, however it ended."""
        return self._native.done()

    def cancelled(self) -> bool:
        """Return whether a cancellation has ended the task: not if it returned, or raised something else."""
        return self._native.cancelled()

    async def result(self, timeout: float | None = None) -> Any:
        """Wait until the task has ended; return its result or raise its exception; see `concmodels.contract.Task`."""
        if not self._native.done():
            await self._ended.wait(timeout, self)
        await asyncio.sleep(0)  # a checkpoint: a caller that was cancelled too raises that
        if self._native.cancelled():
            raise TaskCancelled(f"task {self.name!r} was cancelled")
        try:
            return self._native.result()
        except Wrapped as wrapper:
            raise wrapper.error from wrapper.error.__cause__

    def describe_wait(self, _waiter: Waiter) -> str:
        """Describe the wait of a task that waits for the end of this one."""
        return f"waits for the result of {self.name}"


class _Stop(Exception):
    """Raised by an extra task of a group, which fails to make the group end; never leaves the group."""


async def _stop() -> None:
    raise _Stop


async def _carry[R](group: AsyncioGroup, function: Callable[..., Coroutine[Any, Any, R]], args: tuple[Any, ...]) -> R:
    """Run as the body of each task: call the function, and wrap an error that must leave the group bare."""
    with wrapped(group):
        result = await function(*args)
    task = asyncio.current_task()
    while task is not None and task.cancelling():
        task.uncancel()  # it came too late: the task has a result, and asyncio would drop that
    return result


class AsyncioGroup:
    """An `asyncio.TaskGroup` that raises each exception once, and that can be cancelled."""

    waiter_type: ClassVar[Callable[..., Waiter]]

    bare: BaseException | None = None
    """The error of a task that has to leave the group bare."""

    _native: Any
    _timer: asyncio.TimerHandle | None = None

    @staticmethod
    def cancelled_type() -> type[BaseException]:
        """Return `asyncio.CancelledError`."""
        return asyncio.CancelledError

    def __init__(self, timeout: float | None = None) -> None:
        self.limit = Limit(timeout)

    async def __aenter__(self) -> Self:
        self._native = asyncio.TaskGroup()
        await self._native.__aenter__()
        if self.limit.begin():
            self._timer = asyncio.get_running_loop().call_later(self.limit.seconds, self._strike)
        elif self.limit.seconds <= 0:
            self._strike()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        failures = ExceptionCollector()
        stopped = False
        here = asyncio.current_task()
        native_waits[here] = NativeWait(self)
        if error is not None and not isinstance(error, asyncio.CancelledError):
            self.limit.lift()
        try:
            await self._native.__aexit__(kind, error, trace)
        except BaseExceptionGroup as group:
            failures = ExceptionCollector.of(group, _Stop)
            stopped = True
        finally:
            del native_waits[here]
            if self._timer is not None:
                self._timer.cancel()
        timeout = self.limit.error()  # now, because others run in the checkpoint
        if not failures.errors:
            await asyncio.sleep(0)  # a checkpoint, which asyncio's own group is only if it has to wait
        failures.raise_all(timeout)
        return stopped

    def spawn(self, function: Callable[..., Coroutine[Any, Any, Any]], *args: Any, name: str | None = None) -> Task:
        """Start `function(*args)` as a task. Raises `RuntimeError` if the group is not open (any more)."""
        if not hasattr(self, "_native"):
            raise RuntimeError("this group is not open: spawn inside its `async with`")
        name = name or f"{getattr(function, '__name__', 'task')}-{next(_numbers)}"
        function = awaitable(function, "spawn", type(self))
        return Task(self._native.create_task(_carry(self, function, args), name=name), self.waiter_type)

    def _strike(self) -> None:
        if self.limit.strike():
            self.cancel()

    def cancel(self) -> None:
        """Cancel all its tasks and the body; the `async with` is then left without an error."""
        self.limit.lift()
        stop = _stop()
        try:
            # asyncio's documentation ends a group like this; 3.15 has TaskGroup.cancel(). This task fails at once, so
            # the body is cancelled before its next checkpoint.
            self._native.create_task(stop, eager_start=True)
        except RuntimeError:
            stop.close()  # it has ended, or is ending already

    def is_ending(self) -> bool:
        """Return whether the tasks of the group have been told to end."""
        return bool(self._native._aborting)

    def describe_wait(self, _waiter: Waiter) -> str:
        """Describe the wait of a task that leaves this group."""
        return "waits for the end of its group"

    def names(self) -> list[str]:
        """Return the names of the tasks that have not ended."""
        return [task.get_name() for task in self._native._tasks]
