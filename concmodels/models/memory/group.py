"""Tasks and groups of the models with memory boundaries. The truth about them is in the arena; these objects are
handles.

A task is a record: a scope (its parent is its group), a state, a block with the call and later with the outcome, and
the place where its unit waits. A group is a record too: a scope, its owner, and the number of its tasks that live.
Who fails marks its group cancelled; the keeper (`supervisor.py`) then rings every bell, and whoever waits inside that
scope finds out.
"""

from concmodels.errors import TaskCancelled, Terminated
from concmodels.models.memory.arena import (
    ALERT,
    BLOCK,
    BROKEN,
    CANCELLED,
    CANCELS,
    EXPENDABLE,
    LIVE,
    OWNER,
    PARENT,
    SIZE,
    SPAWNED,
    STATE,
    WAITERS,
    Cancelled,
    deadline,
)
from concmodels.models.memory.participant import Unit, current
from concmodels.models.memory.pickling import dumps, pack_call, unpack_arrived, unpack_error
from concmodels.models.waiting.timeouts import must_be_sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, ClassVar, Self

DONE, FAILED, STOPPED, DIED = 2, 3, 4, 5  # states from DONE on are final
KILLING, ALL_GONE = 1, 2  # what BROKEN says


def cancel(unit: Unit, scope: int) -> None:
    """Cancel a scope. Takes no lock and never waits."""
    unit.words[scope + CANCELLED] = 1
    unit.words[ALERT] = 1
    unit.words[CANCELS] = 1  # only the keeper takes it back, and that before it looks at the scopes
    unit.alarm()


def finish(unit: Unit, at: int, state: int, data: bytes = b"") -> None:
    """Publish how a task has ended; its group is cancelled if it failed."""
    words, arena, waiting = unit.words, unit.arena, []
    with arena.claim:
        words[at + BLOCK], words[at + SIZE] = (arena.put(data), len(data)) if data else (0, 0)
        words[at + STATE] = state
        while waiter := arena.pop(at + WAITERS):
            waiting.append(waiter)
    for waiter in waiting:
        unit.ring(waiter)
    if state in (FAILED, DIED) and not words[at + EXPENDABLE]:
        cancel(unit, words[at + PARENT])


class Task:
    """The handle of a task."""

    def __init__(self, group: TaskGroup, at: int, name: str) -> None:
        self.name = name
        self.at = at  # 0 once its record is given back
        self._group = group
        self._state = 0
        self._data = b""
        self._value: Any = None
        self._error: BaseException | None = None

    def __repr__(self) -> str:
        return f"<task {self.name!r} {'done' if self.done() else 'running'}>"

    def cancel(self) -> None:
        """Ask the task to end: `Cancelled` is raised where it waits. Never waits itself."""
        if self.at and not self.done():
            cancel(self._group.unit, self.at)

    def done(self) -> bool:
        """Whether it has ended, however it ended."""
        return self._state >= DONE or self._group.unit.words[self.at + STATE] >= DONE

    def result(self, timeout: float | None = None) -> Any:
        """Wait for its end; return what it returned or raise what it raised, `TaskCancelled` if it was cancelled."""
        if not self.done():
            self._wait(timeout)
        self._check_own_end()
        self.settle()
        if self._error is not None:
            raise self._error
        if self._data:
            self._value, self._data = unpack_arrived(self._data, f"the result of task {self.name!r}"), b""
        return self._value

    def _wait(self, timeout: float | None) -> None:
        unit, until = self._group.unit, deadline(timeout)
        me = unit.begin_wait()
        with unit.arena.claim:
            if not self.done():
                unit.arena.push(self.at + WAITERS, me)
        try:
            while not self.done():
                if not unit.wait(until):
                    raise TimeoutError(f"task {self.name!r} has not ended in time")
        finally:
            unit.stop_waiting(me)

    def _check_own_end(self) -> None:
        """If it was stopped because its waiter is to stop too, the waiter hears that, and not `TaskCancelled`."""
        unit = self._group.unit
        if self._state < DONE and unit.words[self.at + STATE] == STOPPED:
            parker = unit.parker()
            if not parker.shielded:
                unit.checkpoint(parker)

    def settle(self) -> None:
        """Fetch the outcome of an ended task out of the arena."""
        if self._state >= DONE:
            return
        unit, at = self._group.unit, self.at
        words = unit.words
        state, block, size = words[at + STATE], words[at + BLOCK], words[at + SIZE]
        if block and state >= DONE:
            self._data = unit.arena.get(block, size)
        if state == FAILED:
            self._error = unpack_error(self._data)
        elif state == DIED:
            self._error = unit.death
        elif state != DONE:
            self._error = TaskCancelled(f"task {self.name!r} was cancelled")
        self._state = max(state, DONE)

    def failure(self) -> BaseException | None:
        """What it brings to its group's end."""
        self.settle()
        return self._error if self._state in (FAILED, DIED) else None


class TaskGroup:
    """Tasks that end together: `with TaskGroup() as group: group.spawn(function, *args)`."""

    kind: ClassVar[str]
    expendable: ClassVar[bool] = False
    """Whether the others go on when one fails, or dies."""

    def __init__(self, unit: Unit | None = None) -> None:
        self.unit = unit or current(self.kind)
        self._at = 0
        self._open = False
        self._tasks: list[Task] = []
        self._errors: list[BaseException] = []

    def __enter__(self) -> Self:
        unit, words = self.unit, self.unit.words
        self._parker = parker = unit.parker()
        with unit.arena.claim:
            self._at = unit.arena.new_record()
        words[self._at + OWNER], words[self._at + PARENT] = parker.at, parker.scope
        self._outer, parker.scope = parker.scope, self._at
        self._open = True
        return self

    def spawn(self, function: Callable[..., Any], *args: Any, name: str | None = None) -> Task:
        """Start `function(*args)` as a task of this group. Raises `CannotTravel` for what can't cross the boundary."""
        if not self._open:
            raise RuntimeError("this group is not open: spawn inside its `with`")
        must_be_sync(function, self.unit.kind)
        unit, arena, words = self.unit, self.unit.arena, self.unit.words
        call = pack_call(function, args, unit)
        if name is None:
            name = f"{getattr(function, '__name__', 'task')}-{len(self._tasks) + 1}"
        call = dumps((name, call), 5)
        with arena.claim:
            at = arena.new_record()
            words[at + BLOCK], words[at + SIZE], words[at + PARENT] = arena.put(call), len(call), self._at
            words[at + EXPENDABLE] = self.expendable
            words[self._at + LIVE] += 1
            arena.push(SPAWNED, at)
        task = Task(self, at, name)
        self._tasks.append(task)
        unit.alarm()
        return task

    def cancel(self) -> None:
        """Cancel all its tasks and the body of the `with`; the `with` is then left without an error."""
        if self._at:
            cancel(self.unit, self._at)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        parker = self._parker
        if error is not None:
            self._stop_for(error)
        parker.scope = self._outer  # from here on its own cancellation is no reason to stop waiting
        outer = self._join()
        self._open = False
        cancelled = bool(self.unit.words[self._at + CANCELLED])
        self._collect()
        self._at = 0
        self._raise_errors()
        if outer is not None:
            raise outer
        return error is None or (isinstance(error, Cancelled) and cancelled and not self.unit.cancelled(self._outer))

    def _stop_for(self, error: BaseException) -> None:
        """The body, or the wait at the end of it, has ended early: the tasks must end too."""
        if not isinstance(error, Cancelled):
            self._errors.append(error)
        if isinstance(error, (KeyboardInterrupt, Terminated)):
            self.unit.hurry()
        if not self.unit.words[self._at + CANCELLED] and not (
            isinstance(error, Cancelled) and self.unit.cancelled(self._outer)
        ):
            cancel(self.unit, self._at)

    def _join(self) -> Cancelled | None:
        """Wait until all tasks have ended; returns the cancellation that came from outside meanwhile."""
        parker, outer = self._parker, None
        before, parker.shielded = parker.shielded, parker.shielded or bool(self._errors)
        self.unit.begin_wait()
        self.unit.clean_up(parker.shielded)
        try:
            self._wait_for_all()
            self.unit.heed(parker)  # last: what has ended the tasks may be meant for their owner too
        except BaseException as error:  # noqa: BLE001 - it leaves once the tasks have ended
            self._stop_for(error)
            if isinstance(error, Cancelled):
                outer = error
            parker.shielded = True
            self.unit.clean_up(True)
            self._wait_for_all()
        parker.shielded = before
        self.unit.clean_up(before)
        return outer

    def _wait_for_all(self) -> None:
        while self._must_wait():
            self.unit.wait(None)

    def _must_wait(self) -> bool:
        words = self.unit.words
        if words[BROKEN]:  # then only the parent waits, for the keeper
            return self.unit.is_parent and words[BROKEN] != ALL_GONE
        return bool(words[self._at + LIVE])

    def _collect(self) -> None:
        """Take the outcomes out of the arena, and give the records back."""
        for task in self._tasks:
            error = task.failure()
            if error is not None and not any(error is known for known in self._errors):
                self._errors.append(error)
        unit, broken = self.unit, self.unit.words[BROKEN]
        if broken:
            death, unit.unreported = unit.unreported, None
            if death is not None and death not in self._errors:
                self._errors.append(death)
            return
        with unit.arena.claim:
            for task in self._tasks:
                self._forget(task)
            unit.arena.free_record(self._at)

    def _forget(self, task: Task) -> None:
        words, arena = self.unit.words, self.unit.arena
        if words[task.at + BLOCK]:
            arena.free(words[task.at + BLOCK], words[task.at + SIZE])
        arena.free_record(task.at)
        task.at = 0

    def _raise_errors(self) -> None:
        errors, self._errors = self._errors, []
        for error in errors:
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise error
        if errors:
            raise BaseExceptionGroup("a task group failed", errors) from None
