"""Groups, for the models that bring no cancellation of their own; what a group does to its tasks is in `task.py`."""

import sys
import time
from _thread import allocate_lock

from concmodels.models import FOLDER
from concmodels.models.tasks.failures import ExceptionCollector
from concmodels.models.tasks.signals.frames import place, stack
from concmodels.models.tasks.task import Cancelled, Task
from concmodels.models.waiting.calls import check_call
from concmodels.models.waiting.limit import Limit
from concmodels.models.waiting.waiter import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, ClassVar, Self

    from concmodels.models.tasks.task import WaiterType
    from concmodels.models.waiting.waiter import Waiter

STUBBORN_S = 5.0
"""Seconds after which a cancelled group of threads names the tasks that it still waits for."""


class TaskGroup:
    """Tasks that end together: `with TaskGroup() as group: group.spawn(function, *args)`.

    The first failure cancels the siblings and the body. What failed leaves the `with` in one `ExceptionGroup`.
    """

    waiter_type: ClassVar[WaiterType]
    task_type: ClassVar[type[Task]] = Task
    cancelled_type = Cancelled
    threaded: ClassVar[bool] = False
    """Whether the owner can look at a task while the task runs."""

    clock = staticmethod(time.monotonic)

    def __init__(self, timeout: float | None = None) -> None:
        self.cancelled = False
        self._limit = Limit(timeout, self.clock)
        self._watch: Task | None = None
        self._on_cancel: Callable[[], object] | None = None
        self._entered = False
        self._leaving = False
        self._failures = ExceptionCollector()
        self._tasks: dict[Task, None] = {}  # in the order of their start, which is that in which they are cancelled
        self._lock = allocate_lock()
        self._stirred = self.new_event()  # all tasks have ended, or are to end
        self._empty = self.new_event()
        self._warned = False

    def __enter__(self) -> Self:
        self._owner = self.waiter_type.current()
        self._begin_limit()
        self._owner.scopes.append(self)
        self._entered = True
        if self._limit.seconds <= 0 and self._limit.strike():
            self.cancel()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is not None:
            self._failed(error)
        outer = self._close()
        self._limit.lift()
        self._end_watch()
        self.join()
        self._failures.raise_all(self._limit.error() if outer is None else None)
        if outer is not None:
            raise outer
        return error is None or (isinstance(error, Cancelled) and not self._owner.must_stop())

    @classmethod
    def here(cls) -> Task:
        """Return the task that runs here."""
        return cls.waiter_type.current()

    def checkpoint(self) -> None:
        """Raise the cancellation of the calling task, if any. Leaving is a checkpoint, also if all tasks have ended."""
        task = self.here()
        if task.must_stop():
            task.stop()

    def open_without_body(self, on_cancel: Callable[[], object]) -> None:
        """Open the group without a `with`: its tasks and the calling task do not cancel each other.

        A `with` later waits until its tasks have ended. `on_cancel` is called whenever the group is cancelled.
        """
        self._on_cancel = on_cancel
        self._owner = self.here()
        self._entered = True

    def new_event(self) -> Event:
        """Return an event that this model's tasks can wait for."""
        return Event(self.waiter_type)

    def spawn(self, function: Callable[..., Any], *args: Any, name: str | None = None) -> Task:
        """Start `function(*args)` as a task. Raises `RuntimeError` if the group is not open (any more)."""
        check_call(function, "spawn", type(self))
        task = self.task_type(self, function, args, name)
        with self._lock:
            if not self._entered or (self._leaving and not self._tasks):
                raise RuntimeError("this group is not open: spawn inside its `with`")
            self._tasks[task] = None
        task.scopes.append(self)
        if self.cancelled:
            task.alarmed = True
        task.sign_on(self._owner.live_tasks)
        task.pools = self._owner.pools
        try:
            self.start(task)
        except BaseException:
            self.ended(task, None)
            task.sign_off()
            raise
        return task

    def cancel(self) -> None:
        """Cancel all its tasks and the body; the `with` is then left without an error. Never waits."""
        if self._on_cancel is not None:
            self._on_cancel()
        self._limit.lift()
        self.cancelled = True
        with self._lock:
            tasks = [*self._tasks, self._owner]
        for task in tasks:
            task.interrupt()
        self._stirred.set()

    def describe_wait(self, _waiter: Waiter) -> str:
        """Describe the wait of a task that leaves this group."""
        return "waits for the end of its group"

    def ended(self, task: Task, error: BaseException | None) -> None:
        """Take note that a task has ended, perhaps with an error. Called by the task itself."""
        if error is not None:
            self._failed(error)
        with self._lock:
            self._tasks.pop(task, None)
            last = not self._tasks and self._leaving
        if last:
            self._all_ended()

    def start(self, task: Task) -> None:
        """Start a thread or a greenlet that calls `task.run()`."""
        raise NotImplementedError(f"{type(self).__module__} must say how a task is started")

    def join(self) -> None:
        """Wait until the threads are gone too; a model whose threads outlive their tasks overrides it."""

    def names(self) -> list[str]:
        """Return the names of the tasks that have not ended."""
        with self._lock:
            return [task.name for task in self._tasks]

    def _begin_limit(self) -> None:
        """Start a task that waits until the group's time is over, if that is limited."""
        if self._limit.begin():
            self._over = self.new_event()
            self._watch = self.task_type(self, self._wait_for_limit, (), "the time limit of a group")
            self._watch.sign_on(self._owner.live_tasks)
            try:
                self.start(self._watch)
            except BaseException:
                self._watch.sign_off()
                raise

    def _wait_for_limit(self) -> None:
        try:
            self._over.wait(self._limit.seconds)
        except TimeoutError:
            if self._limit.strike():
                self.cancel()

    def _end_watch(self) -> None:
        if self._watch is None:
            return
        self._over.set()
        self._owner.shielded = True
        try:
            self._watch.wait()
        finally:
            self._owner.shielded = False

    def _failed(self, error: BaseException) -> None:
        """Keep the error and cancel the others. A task that was only cancelled has not failed."""
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
            self._all_ended()
        guard = owner.guard
        if guard is not None:
            guard.leave(*self._failures.errors, cleaning_up=self.cancelled)
        try:
            self._stirred.wait(None, self)
            if guard is not None:
                guard.cleaning_up = self.cancelled
            self._wait_for_the_last()
            self.checkpoint()  # last: what has ended the tasks may be meant for their owner too
        except Cancelled as error:
            outer = error
        except BaseException as error:  # noqa: BLE001 - Ctrl-C: it leaves once the tasks have ended
            self._failed(error)
        if guard is not None:
            guard.cleaning_up = False
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
            self._wait_for_the_last()
        finally:
            owner.shielded = False
            if guard is not None:
                guard.cleaning_up = False

    def _all_ended(self) -> None:
        self._empty.set()
        self._stirred.set()

    def _wait_for_the_last(self) -> None:
        """Wait until all tasks have ended. Among threads, warn once about those that do not end; then wait on."""
        if self.threaded and not self._warned:
            try:
                self._empty.wait(STUBBORN_S, self)
            except TimeoutError:
                self._warned = True
                self._warn()
        self._empty.wait(None, self)

    def _warn(self) -> None:
        import warnings

        frames = sys._current_frames()
        with self._lock:
            names = sorted(f"{task.name}{place(stack(frames.get(task.ident)))}" for task in self._tasks)
        if not names:
            return  # they have just ended
        message = f"cancelled {STUBBORN_S:g} s ago, but still at work without waiting: {', '.join(names)}; a thread "
        try:
            warnings.warn(
                f"{message}can't be stopped, so the group waits on", RuntimeWarning, skip_file_prefixes=(FOLDER,)
            )
        except RuntimeWarning as error:  # warnings are errors here, so this is one of the failures
            with self._lock:
                self._failures.add(error)
