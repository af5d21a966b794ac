"""Tasks and groups on cancel scopes, for trio and anyio, whose nurseries differ in little but their names."""

from itertools import count
from math import inf

from concmodels.errors import TaskCancelled
from concmodels.models.tasks.failures import ExceptionCollector, Wrapped, wrapped
from concmodels.models.waiting.calls import awaitable
from concmodels.models.waiting.limit import Limit
from concmodels.models.waiting.waiter import AsyncEvent, NativeWait, native_waits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import TracebackType
    from typing import Any, ClassVar, Self

    from concmodels.models.waiting.waiter import Waiter

_numbers = count(1)


class Task:
    """The handle of a task: the task runs in a cancel scope of its own and leaves its outcome here."""

    def __init__(
        self, group: NurseryGroup, function: Callable[..., Awaitable[Any]], args: tuple[Any, ...], name: str | None
    ) -> None:
        self.name = name or f"{getattr(function, '__name__', 'task')}-{next(_numbers)}"
        self._scope = type(group).new_scope()
        self._ended = AsyncEvent(group.waiter_type)
        self._checkpoint = group.checkpoint
        self._group = group
        self._function = awaitable(function, "spawn", type(group))
        self._args = args
        self._value: Any = None
        self._error: BaseException | None = None
        self._finished = False

    def cancel(self) -> None:
        """Ask the task to end: `Cancelled` is raised where it waits."""
        self._scope.cancel()

    def done(self) -> bool:
        """Return whether the task has ended, however it ended."""
        return self._ended.happened

    def cancelled(self) -> bool:
        """Return whether a cancellation has ended the task: not if it returned, or raised something else."""
        return self.done() and not self._finished and not isinstance(self._error, Exception)

    async def result(self, timeout: float | None = None) -> Any:
        """Wait until the task has ended; return its result or raise its exception.

        See `concmodels.contract.Task`.
        """
        await self._ended.wait(timeout, self)
        # If the caller was cancelled too, it must learn of that, and not of the other task's end.
        await self._checkpoint()
        if isinstance(self._error, Wrapped):
            raise self._error.error
        if isinstance(self._error, Exception):
            raise self._error
        if self.cancelled():
            raise TaskCancelled(f"task {self.name!r} was cancelled")
        return self._value

    def describe_wait(self, _waiter: Waiter) -> str:
        """Describe the wait of a task that waits for the end of this one."""
        return f"waits for the result of {self.name}"

    async def run(self) -> None:
        """Run as the body of the native task: call the function and keep its outcome."""
        try:
            # The scope is the inner one: it swallows the cancellation that `cancel` caused, so that `_finished` is
            # all that tells a cancelled task from one that returned None.
            with wrapped(self._group), self._scope:
                self._value = await self._function(*self._args)
                self._finished = True
        except BaseException as error:
            self._error = error
            raise
        finally:
            del self._function, self._args
            self._group.live.discard(self)
            self._ended.set()


class NurseryGroup:
    """A group on the library's own nursery; a model says how that is opened, and what a scope and a waiter are."""

    open_group: ClassVar[Callable[[], Any]]
    new_scope: ClassVar[Callable[[], Any]]
    waiter_type: ClassVar[Callable[..., Waiter]]
    here: ClassVar[Callable[[], Any]]
    clock: ClassVar[Callable[[], float]]

    _native: Any = None

    @staticmethod
    async def checkpoint() -> None:
        """Let the other tasks run, and raise the cancellation of the calling task if there is one."""
        raise NotImplementedError("a model must say what its checkpoint is")

    @staticmethod
    def cancelled_type() -> type[BaseException]:
        """Return the model's cancellation exception."""
        raise NotImplementedError("a model must say what its cancellation looks like")

    bare: BaseException | None = None
    """The error of a task that has to leave the group bare."""

    def __init__(self, timeout: float | None = None) -> None:
        self.limit = Limit(timeout, type(self).clock)

    async def __aenter__(self) -> Self:
        self.live: set[Task] = set()
        self._manager = type(self).open_group()
        self._native = await self._manager.__aenter__()
        self.limit.begin()
        if self.limit.until != inf:
            self._native.cancel_scope.deadline = self.limit.until
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        here = type(self).here()
        native_waits[here] = NativeWait(self)
        if error is not None and not isinstance(error, self.cancelled_type()):
            self.limit.lift()
        try:
            swallowed: bool = await self._manager.__aexit__(kind, error, trace)
        except BaseExceptionGroup as group:
            cancelled = self.cancelled_type()
            failures = ExceptionCollector.of(group, cancelled)
            failures.raise_all(self._not_in_time() if failures.errors else None)
            # Nothing but cancellations: one of them, bare, is enough for the scope outside that caused them.
            raise next(leaf for leaf in group.exceptions if isinstance(leaf, cancelled)) from None
        finally:
            del native_waits[here]
        if error is None or swallowed:
            timeout = self._not_in_time()  # now, because others run in the checkpoint
            await self.checkpoint()  # neither library makes leaving a nursery one, if there is no task to wait for
            if timeout is not None:
                raise timeout from None
        return swallowed

    def _not_in_time(self) -> TimeoutError | None:
        if self.limit.until != inf and self.is_ending():
            self.limit.strike()  # unless it was lifted: then it ends for another reason
        return self.limit.error()

    def spawn(self, function: Callable[..., Awaitable[Any]], *args: Any, name: str | None = None) -> Task:
        """Start `function(*args)` as a task. Raises `RuntimeError` if the group is not open (any more)."""
        if self._native is None:
            raise RuntimeError("this group is not open: spawn inside its `async with`")
        task = Task(self, function, args, name)
        self.live.add(task)
        self._native.start_soon(task.run, name=task.name)
        return task

    def cancel(self) -> None:
        """Cancel all tasks and the body; the `async with` is then left without an error."""
        self.limit.lift()
        self._native.cancel_scope.cancel()

    def is_ending(self) -> bool:
        """Return whether the tasks of the group have been told to end."""
        return bool(self._native.cancel_scope.cancel_called)

    def describe_wait(self, _waiter: Waiter) -> str:
        """Describe the wait of a task that leaves this group."""
        return "waits for the end of its group"

    def names(self) -> list[str]:
        """Return the names of the tasks that have not ended."""
        return [task.name for task in self.live]
