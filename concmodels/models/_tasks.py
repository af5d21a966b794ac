"""Tasks and groups, for the models that bring no cancellation of their own (threads, rawthreads, greenlet, tasklets).

A group is a scope: when it is cancelled, every wait of its tasks, and every wait of its owner inside the `with`, ends
with `Cancelled`. A task therefore must stop if it was cancelled itself, or if a scope that it is in was.
"""

from _thread import allocate_lock
from itertools import count, repeat

from concmodels.errors import TaskCancelled
from concmodels.models._colour import must_be_plain
from concmodels.models._failures import Failures
from concmodels.models._waiting import CANCELLED, Event, SyncChannel, Waiter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, ClassVar, Self

    from concmodels.models._interrupt import Guard

_numbers = count(1)


class Cancelled(BaseException):
    """Raised where a cancelled task waits. Swallow it, and the next wait raises it again."""


class TaskWaiter(Waiter):
    """A wait that cancellation can end. A room adds `_block` (wait to be woken) and `wake`."""

    __slots__ = ()

    @staticmethod
    def current() -> Task:
        """The task that runs here."""
        raise NotImplementedError("a room must say which task is running")

    def _block(self, timeout: float | None) -> bool:
        """Wait for `wake`, at most `timeout` seconds; False if it did not come."""
        raise NotImplementedError(f"{type(self).__name__} must say how its task waits")

    def park(self, timeout: float | None) -> bool:
        """Wait; raises `Cancelled`, or a pending Ctrl-C."""
        task = self.current()
        task.waiter = self  # from here on a canceller can claim this wait
        try:
            if task.must_stop() and self.claim(CANCELLED):
                task.stop()
            woken = self._block(timeout)
        finally:
            task.waiter = None
        if self.outcome == CANCELLED:
            task.stop()
        return woken


class PreemptiveChannel(SyncChannel):
    """A channel of a model that switches by itself (threads): every 256th operation only looks for a cancellation.

    The count belongs to the channel, so that threads on different processors do not quarrel about it.
    """

    _new_waiter: ClassVar[type[TaskWaiter]]

    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        super().__init__(capacity, name)
        self._turns = repeat(False, 255)

    def _visit_scheduler(self) -> None:
        self._turns = repeat(False, 255)
        task = self._new_waiter.current()
        if task.must_stop():
            task.stop()


class Task:
    """One unit of the model at work: a handle to wait for it and to cancel it."""

    def __init__(
        self, group: TaskGroup | None, function: Callable[..., Any], args: tuple[Any, ...], name: str | None
    ) -> None:
        self.name = name or f"{getattr(function, '__name__', 'task')}-{next(_numbers)}"
        self.waiter: Waiter | None = None
        self.scopes: list[TaskGroup] = []
        self.leaving: list[TaskGroup] = []
        self.guard: Guard | None = None
        self.shielded = False
        self._trouble: BaseException | None = None
        self._group = group
        self._function = function
        self._args = args
        self._value: Any = None
        self._error: BaseException | None = None
        self._cancelled = False
        self._ended: Event | None = None
        if group is not None:
            self._ended, self._waiter_type = group.new_event(), group.waiter_type

    def __repr__(self) -> str:
        return f"<task {self.name!r} {'done' if self.done() else 'running'}>"

    def done(self) -> bool:
        """Whether it has ended, however it ended."""
        return self._ended is not None and self._ended.happened

    def result(self, timeout: float | None = None) -> Any:
        """Wait for its end; return what it returned or raise what it raised.

        `timeout` is in seconds. Raises `TimeoutError`, and `TaskCancelled` if the task was cancelled.
        """
        if self._ended is None:
            raise RuntimeError(f"{self!r} was not spawned in a group: nobody can wait for it")
        self._ended.wait(timeout)
        caller = self._waiter_type.current()
        if caller.must_stop():
            caller.stop()  # who is cancelled too learns of that, and not of the other's end
        if isinstance(self._error, Cancelled):
            raise TaskCancelled(f"task {self.name!r} was cancelled")
        if self._error is not None:
            raise self._error
        return self._value

    def cancel(self) -> None:
        """Ask the task to end: `Cancelled` is raised where it waits."""
        self._cancelled = True
        self.interrupt()

    def interrupt(self) -> None:
        """End the wait that the task is in, if it must stop. Takes no lock: a signal handler may call it."""
        waiter = self.waiter
        if waiter is not None and self.must_stop():
            waiter.finish(CANCELLED)

    def abort(self, error: BaseException) -> None:
        """Raise this error where the task waits now."""
        self._trouble = error
        self.interrupt()

    def must_stop(self) -> bool:
        """Whether the next wait has to raise instead."""
        if self.shielded:
            return False
        if self._cancelled or self._trouble or (self.guard is not None and self.guard.pending):
            return True
        return any(scope.cancelled for scope in self.scopes)

    def stop(self) -> None:
        """Raise the reason to stop: Ctrl-C first."""
        if self.guard is not None:
            self.guard.check()
        trouble, self._trouble = self._trouble, None
        if trouble is not None:
            raise trouble
        raise Cancelled(f"task {self.name!r} was cancelled")

    def unfinished(self) -> list[str]:
        """The names of the tasks that this one waits for in its groups."""
        return [name for group in (*self.scopes, *self.leaving) for name in group.names()]

    def run(self) -> None:
        """The body of the new unit: call the function, keep the outcome, tell the group."""
        try:
            self._value = self._function(*self._args)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the task's outcome
            self._error = error
        finally:
            del self._function, self._args
        assert self._group is not None and self._ended is not None
        self._ended.set()
        self._group.ended(self, self._error)


class TaskGroup:
    """Tasks that end together: `with TaskGroup() as group: group.spawn(function, *args)`.

    The first failure cancels the siblings and the body. What failed leaves the `with` in one `ExceptionGroup`.
    """

    waiter_type: ClassVar[type[TaskWaiter]]

    def __init__(self) -> None:
        self.cancelled = False
        self._entered = False
        self._leaving = False
        self._failures = Failures()
        self._tasks: set[Task] = set()
        self._lock = allocate_lock()
        self._empty = self.new_event()

    def __enter__(self) -> Self:
        self._owner = self.waiter_type.current()
        self._owner.scopes.append(self)
        self._entered = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is not None:
            self._failed(error)
        outer = self._close()
        self.join()
        self._failures.leave()
        if outer is not None:
            raise outer
        return error is None or (isinstance(error, Cancelled) and not self._owner.must_stop())

    def new_event(self) -> Event:
        """An event that this model's tasks can wait for."""
        return Event(self.waiter_type)

    def spawn(self, function: Callable[..., Any], *args: Any, name: str | None = None) -> Task:
        """Start `function(*args)` as a task. Raises `RuntimeError` if the group is not open (any more)."""
        must_be_plain(function, type(self).__module__.rpartition(".")[2].strip("_"))
        task = Task(self, function, args, name)
        with self._lock:
            if not self._entered or (self._leaving and not self._tasks):
                raise RuntimeError("this group is not open: spawn inside its `with`")
            self._tasks.add(task)
        task.scopes.append(self)
        try:
            self.start(task)
        except BaseException:
            self.ended(task, None)
            raise
        return task

    def cancel(self) -> None:
        """Cancel all its tasks and the body; the `with` is then left without an error. Never waits."""
        self.cancelled = True
        with self._lock:
            tasks = [*self._tasks, self._owner]
        for task in tasks:
            task.interrupt()

    def ended(self, task: Task, error: BaseException | None) -> None:
        """A task has ended, for this reason."""
        if error is not None:
            self._failed(error)
        with self._lock:
            self._tasks.discard(task)
            last = not self._tasks and self._leaving
        if last:
            self._empty.set()

    def start(self, task: Task) -> None:
        """Start a unit of the model that calls `task.run()`."""
        raise NotImplementedError(f"{type(self).__module__} must say how a task is started")

    def join(self) -> None:
        """Wait until the units themselves are gone too; a room whose units outlive their tasks overrides it."""

    def names(self) -> list[str]:
        """The names of the tasks that have not ended."""
        with self._lock:
            return [task.name for task in self._tasks]

    def _failed(self, error: BaseException) -> None:
        """Somebody failed: the others are cancelled. A task that was cancelled alone has not failed."""
        if not isinstance(error, Cancelled):
            with self._lock:
                self._failures.add(error)
            self.cancel()

    def _close(self) -> BaseException | None:
        """Wait until every task has ended; return what ended the wait early, a cancellation from outside."""
        owner, outer = self._owner, None
        if owner.must_stop():
            self.cancel()
        owner.scopes.remove(self)  # from here on its own cancellation is no reason to stop waiting
        owner.leaving.append(self)
        with self._lock:
            self._leaving = True
            last = not self._tasks
        if last:
            self._empty.set()
        try:
            self._empty.wait()
        except Cancelled as error:
            outer = error
        except BaseException as error:  # noqa: BLE001 - Ctrl-C: it leaves once the tasks have ended
            self._failed(error)
        self._wait_for_the_cancelled()
        owner.leaving.remove(self)
        return outer

    def _wait_for_the_cancelled(self) -> None:
        if self._empty.happened:
            return
        self.cancel()
        owner, guard = self._owner, self._owner.guard
        owner.shielded = True
        if guard is not None:
            guard.cleaning_up = True
        try:
            self._empty.wait()
        finally:
            owner.shielded = False
            if guard is not None:
                guard.cleaning_up = False
