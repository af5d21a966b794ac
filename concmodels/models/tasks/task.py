"""Tasks, for the models that bring no cancellation of their own (threads, rawthreads, greenlet, tasklets).

Their groups are in `group.py`. A group is a scope: when it is cancelled, every wait of its tasks, and every wait of
its owner inside the `with`, ends with `Cancelled`. A task therefore must stop if it was cancelled itself, or if a scope
that it is in was.
"""

from _thread import get_ident
from itertools import count, repeat

from concmodels.errors import TaskCancelled
from concmodels.models.waiting.channel import CANCELLED, Event, SyncChannel, Waiter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar, Protocol

    from concmodels.models.tasks.interrupts import Guard

    class Scope(Protocol):
        """What a task knows of its groups."""

        cancelled: bool
        waiter_type: ClassVar[type[TaskWaiter]]

        def new_event(self) -> Event: ...
        def ended(self, task: Task, error: BaseException | None) -> None: ...
        def names(self) -> list[str]: ...

    class Watch(Protocol):
        """What looks up while main waits."""

        def block(self, waiter: TaskWaiter, timeout: float | None) -> bool: ...


_numbers = count(1)


class Cancelled(BaseException):
    """Raised where a cancelled task waits. Swallow it, and the next wait raises it again."""


class TaskWaiter(Waiter):
    """A wait that cancellation can end. A model adds `_block` (wait to be woken) and `wake`."""

    __slots__ = ("task",)

    def __init__(self, item: Any = None) -> None:
        super().__init__(item)
        self.task = self.current()

    @staticmethod
    def current() -> Task:
        """The task that runs here."""
        raise NotImplementedError("a model must say which task is running")

    def _block(self, timeout: float | None) -> bool:
        """Wait for `wake`, at most `timeout` seconds; False if it did not come."""
        raise NotImplementedError(f"{type(self).__name__} must say how its task waits")

    def park(self, timeout: float | None) -> bool:
        """Wait; raises `Cancelled`, or a pending Ctrl-C."""
        task = self.task
        task.timed = timeout is not None
        task.waiter = self  # from here on a canceller can claim this wait
        try:
            if task.must_stop() and self.claim(CANCELLED):
                task.stop()
            woken = self._block(timeout) if task.watch is None else task.watch.block(self, timeout)
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
        self, group: Scope | None, function: Callable[..., Any], args: tuple[Any, ...], name: str | None
    ) -> None:
        self.name = name or f"{getattr(function, '__name__', 'task')}-{next(_numbers)}"
        self.waiter: Waiter | None = None
        self.scopes: list[Scope] = []
        self.leaving: list[Scope] = []
        self.guard: Guard | None = None
        self.watch: Watch | None = None  # main's only, among threads: looks up while main waits
        self.crew: dict[Task, None] | None = None  # the live tasks of its run, of which it is one
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
        for scope in self.scopes:  # noqa: SIM110 - asked at every wait, and the generator of an any() is dear
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
        """The names of the tasks that this one waits for in its groups."""
        return [name for group in (*self.scopes, *self.leaving) for name in group.names()]

    def run(self) -> None:
        """The body of the new unit: call the function, keep the outcome, tell the group."""
        self.ident = get_ident()
        try:
            self._value = self._function(*self._args)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the task's outcome
            self._error = error
        finally:
            del self._function, self._args
        assert self._group is not None and self._ended is not None
        self._ended.set()
        self._group.ended(self, self._error)
        self.sign_off()

    def sign_on(self, crew: dict[Task, None] | None) -> None:
        """Be one of the live tasks of a run."""
        if crew is not None:
            self.crew = crew
            crew[self] = None

    def sign_off(self) -> None:
        """Be none of them any more."""
        if self.crew is not None:
            del self.crew[self]
