"""Tasks, for the models that bring no cancellation of their own (threads, rawthreads, greenlet, tasklets).

Their groups are in `group.py`. A group is a scope: when it is cancelled, every wait of its tasks, and every wait of
its owner inside the `with`, ends with `Cancelled`. A task therefore must stop if it was cancelled itself, or if a scope
that it is in was.
"""

from _thread import get_ident
from itertools import count

from concmodels.errors import TaskCancelled
from concmodels.models.waiting.waiter import CANCELLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar, Protocol

    from concmodels.models.tasks.signals.guard import Guard
    from concmodels.models.waiting.waiter import Event, Waiter

    class WaiterType(Protocol):
        """The waiter of a model. While it is parked it is in `task.waiter`, where a cancellation finds it."""

        def __call__(self, item: Any = None, purpose: Any = None) -> Waiter: ...

        def current(self) -> Task:
            """Return the task that runs here."""

    class LockWaiter(Protocol):
        """A waiter of a thread."""

        def acquire(self, timeout: float | None) -> bool:
            """Block until woken, at most `timeout` seconds; return False if that did not happen."""

        def claim(self, outcome: str) -> bool: ...

    class Scope(Protocol):
        """A group, as its tasks see it."""

        cancelled: bool
        waiter_type: ClassVar[WaiterType]

        def new_event(self) -> Event: ...
        def ended(self, task: Task, error: BaseException | None) -> None: ...
        def names(self) -> list[str]: ...

    class Detector(Protocol):
        """Waits instead of main's waiter, and looks for signals and deadlocks meanwhile."""

        def acquire(self, waiter: LockWaiter, timeout: float | None) -> bool: ...


_numbers = count(1)


class Cancelled(BaseException):
    """Raised where a cancelled task waits. Swallow it, and the next wait raises it again."""


class Task:
    """One task of a group: a handle to wait for it and to cancel it."""

    scheduler: Any  # that of its run, where greenlets have one
    alarmed = False
    """Whether `must_stop` may return True: until then, where only one thread runs, a wait need not ask."""

    def __init__(
        self, group: Scope | None, function: Callable[..., Any], args: tuple[Any, ...], name: str | None
    ) -> None:
        self.name = name or f"{getattr(function, '__name__', 'task')}-{next(_numbers)}"
        self.waiter: Waiter | None = None  # what it waits for at the moment
        self.scopes: list[Scope] = []
        self.leaving: list[Scope] = []
        self.guard: Guard | None = None
        self.detector: Detector | None = None  # among threads, only main has one: it looks around while main waits
        self.live_tasks: dict[Task, None] | None = None  # those of its run, this one among them
        self.pools: Any = None  # the pools of its run
        self.ident = 0
        self.timed = False  # whether the wait that `waiter` stands for has a timeout
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
        """Return whether the task has ended, however it ended."""
        return self._ended is not None and self._ended.happened

    def cancelled(self) -> bool:
        """Return whether a cancellation has ended the task: not if it returned, or raised something else."""
        return self.done() and isinstance(self._error, Cancelled)

    def result(self, timeout: float | None = None) -> Any:
        """Wait until the task has ended; return its result or raise its exception.

        `timeout` is in seconds. Raises `TimeoutError`, and `TaskCancelled` if the task was cancelled.
        """
        if self._ended is None:
            raise RuntimeError(f"{self!r} was not spawned in a group: no group can wait for it")
        self._ended.wait(timeout, self)
        caller = self._waiter_type.current()
        if caller.must_stop():
            caller.stop()  # a caller that is cancelled too learns of that, and not of the other's end
        if isinstance(self._error, Cancelled):
            raise TaskCancelled(f"task {self.name!r} was cancelled")
        if self._error is not None:
            raise self._error
        return self._value

    def wait(self) -> Any:
        """Wait until the task has ended, however it ends. Awaited where the model's events are."""
        assert self._ended is not None
        return self._ended.wait(None, self)

    def describe_wait(self, _waiter: Waiter) -> str:
        """Describe the wait of a task that waits for the end of this one."""
        return f"waits for the result of {self.name}"

    def cancel(self) -> None:
        """Ask the task to end: `Cancelled` is raised where it waits."""
        self._cancelled = True
        self.interrupt()

    def interrupt(self) -> None:
        """End the wait that the task is in, if it must stop. Takes no lock: a signal handler may call it."""
        self.alarmed = True
        waiter = self.waiter
        if waiter is not None and self.must_stop():
            waiter.finish(CANCELLED)

    def abort(self, error: BaseException) -> None:
        """Raise this error where the task waits now."""
        self._trouble = error
        self.interrupt()

    def must_stop(self) -> bool:
        """Return whether the next wait has to raise instead."""
        if self.shielded:
            return False
        if self._cancelled or self._trouble or (self.guard is not None and self.guard.pending):
            return True
        for scope in self.scopes:  # noqa: SIM110 - asked at every wait, and the generator of an any() is expensive
            if scope.cancelled:
                return True
        return False

    def stop(self) -> None:
        """Raise the reason to stop: Ctrl-C first."""
        if self.guard is not None:
            self.guard.check()
        trouble, self._trouble = self._trouble, None
        if trouble is not None:
            raise trouble
        raise Cancelled(f"task {self.name!r} was cancelled")

    def unfinished(self) -> list[str]:
        """Return the names of the tasks that this one waits for in its groups."""
        return [name for group in (*self.scopes, *self.leaving) for name in group.names()]

    def run(self) -> None:
        """Run as the body of the new thread or greenlet: call the function, keep the outcome, tell the group."""
        self.ident = get_ident()
        self._call()
        self.end()

    def _call(self) -> None:
        try:
            self._value = self._function(*self._args)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the task's outcome
            self._error = error
        finally:
            del self._function, self._args

    def end(self) -> None:
        """Announce that the task has ended: first to the tasks that wait for its result, then to the group."""
        assert self._group is not None and self._ended is not None
        self._ended.set()
        self._group.ended(self, self._error)
        self.sign_off()

    def sign_on(self, live_tasks: dict[Task, None] | None) -> None:
        """Become one of the live tasks of a run."""
        if live_tasks is not None:
            self.live_tasks = live_tasks
            live_tasks[self] = None

    def sign_off(self) -> None:
        """Leave the live tasks of the run."""
        if self.live_tasks is not None:
            del self.live_tasks[self]
