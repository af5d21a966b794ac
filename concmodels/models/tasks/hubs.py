"""Tasks and groups for the models whose greenlets a hub switches, cancelled by throwing (gevent, eventlet).

The hub does the throw, in its next round (`waiting/hub_throws.py`). A cancellation is raised once: if the task
suppresses it, it is not raised again.
"""

from itertools import count

from greenlet import GreenletExit, getcurrent, greenlet

from concmodels.errors import TaskCancelled
from concmodels.models.tasks.failures import ExceptionCollector
from concmodels.models.tasks.signals.guard import is_signal
from concmodels.models.waiting.calls import check_call
from concmodels.models.waiting.hub_throws import add_throw, forget_throws, postponed, remove_throw
from concmodels.models.waiting.limit import Limit
from concmodels.models.waiting.waiter import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, ClassVar, Self

    from concmodels.models.tasks.signals.guard import Guard
    from concmodels.models.waiting.turns import Turns
    from concmodels.models.waiting.waiter import Waiter

_numbers = count(1)

tasks: dict[greenlet, Task] = {}
"""The task of each greenlet that runs one."""


def raise_postponed_signal(unit: greenlet) -> None:
    """Raise Ctrl-C or another signal that was postponed for main, which has returned: it must not get lost."""
    error, _ = postponed.get(unit, (None, None))
    if error is not None and is_signal(error):
        raise error


class Cancelled(BaseException):
    """Raised in a cancelled task where it waits, once."""


class Task:
    """The handle of one greenlet, to wait for it and to cancel it."""

    call_soon: ClassVar[Callable[[Callable[[], object]], object]]
    call_later: ClassVar[Callable[[float, Callable[[], object]], Callable[[], object]]]
    """Have the hub call a function so many seconds later; return a function that cancels that."""

    def reschedule(self) -> None:
        """Let the hub run one round; it throws what is due."""
        raise NotImplementedError(f"{type(self).__module__} must say how to let others run")

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], name: str | None) -> None:
        self.name = name or f"{getattr(function, '__name__', 'task')}-{next(_numbers)}"
        self.unit: Any = None  # its greenlet
        self.turns: Any = None  # those of its hub: a wait finds them here quicker than through the library
        self.waiter: Waiter | None = None  # what it waits for at the moment
        self.guard: Guard | None = None
        self.detector: Any = None  # what finds the deadlocks of its run
        self.pools: Any = None  # the pools of its run
        self.groups: list[TaskGroup] = []
        self._function = function
        self._args = args
        self._value: Any = None
        self._error: BaseException | None = None
        self._started = False
        self._cancelled = False
        self.ended: Event | None = None

    @classmethod
    def model(cls) -> str:
        """Return the name of the model whose task this is."""
        return cls.__module__.rpartition(".")[2].strip("_")

    def __repr__(self) -> str:
        return f"<task {self.name!r} {'done' if self.done() else 'running'}>"

    def done(self) -> bool:
        """Return whether the task has ended, however it ended."""
        return self.ended is not None and self.ended.happened

    def cancelled(self) -> bool:
        """Return whether a cancellation has ended the task: not if it returned, or raised something else."""
        return self.done() and isinstance(self._error, Cancelled)

    def result(self, timeout: float | None = None) -> Any:
        """Wait until the task has ended; return its result or raise its exception.

        See `concmodels.contract.Task`.
        """
        assert self.ended is not None
        self.ended.wait(timeout, self)
        self.reschedule()  # a caller that was cancelled too must learn of that, and not of the other task's end
        if isinstance(self._error, Cancelled):
            raise TaskCancelled(f"task {self.name!r} was cancelled")
        if self._error is not None:
            raise self._error
        return self._value

    def describe_wait(self, _waiter: Waiter) -> str:
        """Describe the wait of a task that waits for the end of this one."""
        return f"waits for the result of {self.name}"

    def cancel(self) -> None:
        """Ask the task to end: `Cancelled` is raised where it waits."""
        if not self._cancelled:
            self.cancel_again()

    def cancel_again(self) -> None:
        """Raise `Cancelled` once more, in a task that waits for ever in its clean-up."""
        self._cancelled = True
        add_throw(self.unit)
        type(self).call_soon(self._deliver)

    def _deliver(self) -> None:
        remove_throw(self.unit)
        if self._started and not self.done():
            self.unit.throw(Cancelled(f"task {self.name!r} was cancelled"))

    def interrupt(self) -> None:
        """Raise a pending Ctrl-C where the task waits. Called in the signal handler."""
        type(self).call_soon(self._land)

    def _land(self) -> None:
        if self.guard is not None and self.guard.pending:
            self.unit.throw(self.guard.take())

    def unfinished(self) -> list[str]:
        """Return the names of the tasks that this one waits for in its groups."""
        return [task.name for group in self.groups for task in group.tasks]

    def run(self, group: TaskGroup) -> None:
        """Run as the body of the greenlet: call the function, keep the outcome, tell the group."""
        self._started = True
        try:
            if self._cancelled:
                raise Cancelled(f"task {self.name!r} was cancelled before it began")
            self._value = self._function(*self._args)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the task's outcome
            self._error = error
        finally:
            del self._function, self._args
        assert self.ended is not None
        self.ended.set()
        group.task_ended(self, self._error)


class UnknownTask:
    """Stands in for the task while a greenlet that the program itself has started waits.

    That greenlet switches only to the hub, which may have to become its parent.
    """

    detector: Any = None
    waiter: Waiter | None = None

    def __init__(self, turns: Turns) -> None:
        self.turns = self
        self.hub = turns.hub
        self.add, self.leave = turns.add, turns.hub.switch


class TaskGroup:
    """Greenlets that end together. The first failure cancels the siblings and the body."""

    waiter_type: ClassVar[type[Waiter]]
    cancelled_type = Cancelled
    thrown_types: ClassVar[tuple[type[BaseException], ...]] = (Cancelled, GreenletExit)
    """What may be thrown into a body from outside: it is no failure, and leaves bare unless a task has failed."""
    threaded = False
    task_type: ClassVar[type[Task]]

    def __init__(self, timeout: float | None = None) -> None:
        self.limit = Limit(timeout)
        self.tasks: set[Task] = set()
        self._on_cancel: Callable[[], object] | None = None
        self._failures = ExceptionCollector()
        self._entered = self._leaving = self.cancelled = self._throws = self._threw = False

    def start(self, task: Task) -> None:
        """Start a greenlet that calls `self.work(task)`, and put it into `task.unit`."""
        raise NotImplementedError(f"{type(self).__module__} must say how a task is started")

    @staticmethod
    def here() -> Task | None:
        """Return the task that runs here; None if none does."""
        return tasks.get(getcurrent())

    def open_without_body(self, on_cancel: Callable[[], object]) -> None:
        """Open the group without a `with`: its tasks and the calling task do not cancel each other.

        A `with` later waits until its tasks have ended. `on_cancel` is called whenever the group is cancelled.
        """
        self._on_cancel = on_cancel
        self._open()

    def _open(self) -> None:
        owner = self.here()
        if owner is None:
            raise RuntimeError("there is no run here: open the group inside run(main), not run(main())")
        self._owner = owner
        self._empty = Event(self.waiter_type)
        self._entered = True

    def __enter__(self) -> Self:
        self._open()
        self._owner.groups.append(self)
        self._stop_timer: Callable[[], object] = bool
        if self.limit.begin():
            self._stop_timer = type(self._owner).call_later(self.limit.seconds, self._strike)
        elif self.limit.is_over():
            self._strike()
        return self

    def _strike(self) -> None:
        if self.limit.strike():
            self.cancel()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._leaving = True
        if self._throws:
            self._leave_body_alone()  # the body has ended before the hub could throw
        ours = isinstance(error, Cancelled) and self._threw
        if error is not None:
            self._body_ended(error)
        outer = self._wait()
        self._stop_timer()
        self.limit.lift()  # now, because others run in the checkpoint
        self._owner.groups.remove(self)
        self._failures.raise_all(self.limit.error() if outer is None and self._failures.errors else None)
        if outer is not None:
            raise outer
        if error is None or ours:
            self.checkpoint()
            self._failures.raise_all(self.limit.error())
        return ours

    def checkpoint(self) -> None:
        """Let the hub throw what is due. Leaving a group is a checkpoint, even if all its tasks have ended."""
        task = self.here()
        if task is not None:
            task.reschedule()

    def spawn(self, function: Callable[..., Any], *args: Any, name: str | None = None) -> Task:
        """Start `function(*args)` as a task. Raises `RuntimeError` if the group is not open (any more)."""
        if not self._entered or (self._leaving and not self.tasks):
            raise RuntimeError("this group is not open: spawn inside its `with`")
        check_call(function, "spawn", type(self))
        task = self.task_type(function, args, name)
        task.ended = Event(self.waiter_type)
        task.detector = self._owner.detector
        task.pools = self._owner.pools
        self.tasks.add(task)
        try:
            self.start(task)
        except BaseException:
            self.task_ended(task, None)
            raise
        if self.cancelled:
            task.cancel()
        return task

    def work(self, task: Task) -> None:
        """Run a task in the greenlet that was started for it, from its beginning to its end."""
        here = getcurrent()
        tasks[here] = task
        try:
            task.run(self)
        finally:
            del tasks[here]
            forget_throws(here)

    def cancel(self) -> None:
        """Cancel all tasks and the body; the `with` is then left without an error. Never waits."""
        if self._on_cancel is not None:
            self._on_cancel()
        self.limit.lift()
        self.cancelled = True
        if self._leaving and self.tasks and self._owner.guard is not None:
            self._owner.guard.cleaning_up = True
        for task in self.tasks:
            task.cancel()
        if self._on_cancel is None:  # otherwise there is no body
            self._cancel_body()

    def _cancel_body(self) -> None:
        if not (self._leaving or self._throws or self._threw):
            self._throws = True
            add_throw(self._owner.unit)
            type(self._owner).call_soon(self._throw_into_body)

    def _throw_into_body(self) -> None:
        if self._throws:
            self._leave_body_alone()
            self._threw = True
            self._owner.unit.throw(Cancelled("the group was cancelled"))

    def _leave_body_alone(self) -> None:
        self._throws = False
        remove_throw(self._owner.unit)

    def describe_wait(self, _waiter: Waiter) -> str:
        """Describe the wait of a task that leaves this group."""
        return "waits for the end of its group"

    def task_ended(self, task: Task, error: BaseException | None) -> None:
        """Take note that a task has ended; `error` is what it raised, if anything."""
        self.tasks.discard(task)
        if error is not None and not isinstance(error, Cancelled):
            self._failed(error)
        if not self.tasks and self._leaving:
            self._empty.set()

    def _failed(self, error: BaseException) -> None:
        self._failures.add(error)
        self.cancel()

    def _body_ended(self, error: BaseException) -> None:
        if isinstance(error, self.thrown_types):
            self.cancel()
        else:
            self._failed(error)

    def _wait(self) -> BaseException | None:
        """Wait until every task has ended, whatever is thrown in; return a cancellation that came from outside."""
        guard, outer = self._owner.guard, None
        if guard is not None:
            guard.leave(*self._failures.errors, cleaning_up=self.cancelled)
        while self.tasks:
            try:
                self._empty.wait(None, self)
            except BaseException as error:  # noqa: BLE001 - it leaves once the tasks have ended
                self._body_ended(error)
                if outer is None and isinstance(error, self.thrown_types):
                    outer = error
        if guard is not None:
            guard.cleaning_up = False
        return outer
