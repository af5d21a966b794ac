"""Tasks and groups of the models with memory boundaries. Their state is in the arena; these objects are handles.

A task is a record: a scope (its parent is its group), a state, a block with the call and later with the outcome, and
what it waits with. A group is a record too: a scope, its owner, and the number of its tasks that have not ended. A task
that fails marks its group cancelled; the supervisor (`lives/supervisor.py`) then wakes every task, and each one that
waits inside that scope finds out at its checkpoint.
"""

import sys
import time
from _thread import RLock

from concmodels.errors import TaskCancelled, Terminated
from concmodels.models.memory.arena import (
    ALERT,
    ANSWERED,
    ASKED,
    BLOCK,
    BROKEN,
    CANCELLED,
    CANCELS,
    EXPENDABLE,
    LIMITS,
    LIVE,
    OWNER,
    PARENT,
    SIZE,
    SPAWNED,
    STATE,
    STRUCK,
    UNTIL,
    WAITERS,
    Cancelled,
    deadline,
)
from concmodels.models.memory.participant import Participant, current
from concmodels.models.memory.pickling import dumps, pack_call, unpack_arrived, unpack_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, ClassVar, Self

DONE, FAILED, STOPPED, DIED = 2, 3, 4, 5  # states from DONE on are final
KILLING, ALL_GONE = 1, 2  # what BROKEN says
_LONG_S = 1e9  # 30 years are no limit, and in nanoseconds they still fit into a word


def cancel(participant: Participant, scope: int) -> None:
    """Cancel a scope. This takes no lock and never waits."""
    # When the supervisor sees CANCELS, it must find the scope marked, and every task that it wakes must see ALERT. Only
    # the supervisor takes CANCELS back, and that before it looks at the scopes.
    participant.ordered[scope + CANCELLED] = 1
    participant.words[ALERT] = 1
    participant.ordered[CANCELS] = 1
    participant.notify_supervisor()


def finish(participant: Participant, at: int, state: int, data: bytes = b"") -> None:
    """Publish how a task has ended, wake those that wait for it, and cancel its group if it failed."""
    words, arena, waiting = participant.words, participant.arena, []
    with arena.claim:
        words[at + BLOCK], words[at + SIZE] = (arena.put(data), len(data)) if data else (0, 0)
        participant.ordered[at + STATE] = state  # `settle` takes no lock
        while waiter := arena.pop(at + WAITERS):
            waiting.append(waiter)
    for waiter in waiting:
        participant.notify(waiter)
    if state in (FAILED, DIED) and not words[at + EXPENDABLE]:
        cancel(participant, words[at + PARENT])


class Task:
    """A handle of a task."""

    def __init__(self, group: TaskGroup, at: int, name: str) -> None:
        self.name = name
        self.at = at  # 0 once its record is given back
        self._group = group
        self._state = 0
        self._stopped = False  # whether a cancellation has ended it
        self._data = b""
        self._value: Any = None
        self._error: BaseException | None = None

    def __repr__(self) -> str:
        return f"<task {self.name!r} {'done' if self.done() else 'running'}>"

    def cancel(self) -> None:
        """Ask the task to end: `Cancelled` is raised where it waits. This never waits itself."""
        with self._group.records:
            if self.at and not self.done():
                cancel(self._group.participant, self.at)

    def done(self) -> bool:
        """Return whether the task has ended, however it ended."""
        if self._state >= DONE or self._group.participant.ordered[self.at + STATE] >= DONE:
            return True
        return self._state >= DONE  # once more: another thread may just have given the record back

    def cancelled(self) -> bool:
        """Return whether a cancellation has ended the task: not if it returned, or raised something else."""
        if not self.done():
            return False
        self.settle()
        return self._stopped

    def result(self, timeout: float | None = None) -> Any:
        """Wait until the task has ended; return its result or raise its exception.

        Raises `TaskCancelled` if it was cancelled, and `TimeoutError`.
        """
        if not self.done():
            self._wait(timeout)
        self._check_own_end()
        self.settle()
        if self._error is not None:
            raise self._error
        data = self._data  # read once: another thread may unpack it too
        if data:
            self._value, self._data = unpack_arrived(data, f"the result of task {self.name!r}"), b""
        return self._value

    def _wait(self, timeout: float | None) -> None:
        participant, until = self._group.participant, deadline(timeout)
        participant.checkpoint()
        me = participant.begin_wait()
        with participant.arena.claim:  # `finish` sets the state and pops the waiters under the same lock
            if not self.done():
                participant.arena.push(self.at + WAITERS, me)
        try:
            while not self.done():
                if not participant.wait(until):
                    raise TimeoutError(f"task {self.name!r} has not ended in time")
        finally:
            participant.stop_waiting(me)

    def _check_own_end(self) -> None:
        """Raise `Cancelled`, and not `TaskCancelled`, if the task was stopped because its waiter is to stop too."""
        participant = self._group.participant
        if self._state < DONE and participant.words[self.at + STATE] == STOPPED:
            participant.checkpoint()

    def settle(self) -> None:
        """Fetch the outcome of an ended task out of the arena."""
        with self._group.records:
            if self._state >= DONE:
                return
            participant, at = self._group.participant, self.at
            words = participant.words
            state = participant.ordered[at + STATE]
            if state >= DONE and (block := words[at + BLOCK]):
                self._data = participant.arena.get(block, words[at + SIZE])
            if state == FAILED:
                self._error = unpack_error(self._data)
            elif state == DIED:
                self._error = participant.death
            elif state != DONE:
                self._stopped = state == STOPPED
                self._error = TaskCancelled(f"task {self.name!r} was cancelled")
            self._state = max(state, DONE)

    def failure(self) -> BaseException | None:
        """Return the exception that the task brings to its group's end, or None."""
        self.settle()
        return self._error if self._state in (FAILED, DIED) else None


class TaskGroup:
    """Tasks that end together: `with TaskGroup() as group: group.spawn(function, *args)`."""

    kind: ClassVar[str]
    expendable: ClassVar[bool] = False
    """Whether the other tasks go on when one fails, or its process dies."""

    def __init__(self, timeout: float | None = None, *, participant: Participant | None = None) -> None:
        self._seconds = _limit(timeout)
        self.participant = participant or current(self.kind)
        self._at = 0
        self._open = False
        self._tasks: list[Task] = []
        self._errors: list[BaseException] = []
        self.records = RLock()
        """Held while a record is looked up and used: another thread may give it back, and then it is another task's.

        A thread may take it again: to unpickle an exception runs the program's code.
        """

    def __enter__(self) -> Self:
        participant, words = self.participant, self.participant.words
        self._slot = slot = participant.wait_slot()
        with participant.arena.claim:
            self._at = participant.arena.new_record()
        words[self._at + OWNER], words[self._at + PARENT] = slot.at, slot.scope
        self._outer, slot.scope = slot.scope, self._at
        self._open = True
        self._begin_limit()
        return self

    def _begin_limit(self) -> None:
        """Tell the supervisor when the time will be over: then it cancels the group, even while this task computes."""
        if self._seconds is None:
            return
        participant, words = self.participant, self.participant.words
        words[self._at + UNTIL] = time.monotonic_ns() + int(max(self._seconds, 0.0) * 1e9)
        participant.ordered[LIMITS] = 1
        if self._seconds > 0:
            participant.notify_supervisor()
        else:
            words[self._at + STRUCK] = 1
            cancel(participant, self._at)

    def spawn(self, function: Callable[..., Any], *args: Any, name: str | None = None) -> Task:
        """Start `function(*args)` as a task of this group. Raises `CannotTravel` for what can't be pickled."""
        if not self._open:
            raise RuntimeError("this group is not open: spawn inside its `with`")
        from concmodels.models.waiting.calls import check_call  # most children spawn nothing

        check_call(function, "spawn", self.participant.kind)
        participant, arena, words = self.participant, self.participant.arena, self.participant.words
        call = pack_call(function, args, participant)
        if name is None:
            name = f"{getattr(function, '__name__', 'task')}-{len(self._tasks) + 1}"
        call = dumps((name, call), 5)
        with arena.claim:
            at = arena.new_record()
            words[at + BLOCK], words[at + SIZE], words[at + PARENT] = arena.put(call), len(call), self._at
            words[at + EXPENDABLE], words[at + ANSWERED] = self.expendable, words[ASKED]
            words[self._at + LIVE] += 1
            arena.push(SPAWNED, at)
        task = Task(self, at, name)
        self._tasks.append(task)
        participant.notify_supervisor()
        return task

    def cancel(self) -> None:
        """Cancel all tasks of the group and the body of the `with`; the `with` is then left without an error."""
        with self.records:
            if self._at:
                cancel(self.participant, self._at)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        slot = self._slot
        if error is not None:
            self._stop_for(error)
        slot.scope = self._outer  # from here on its own cancellation is no reason to stop waiting
        outer = self._join()
        self._open = False
        # `_must_wait` has seen in LIVE that all have ended: from here on STATE, and STRUCK, say how.
        cancelled = bool(self.participant.ordered[self._at + CANCELLED])
        timeout = self._not_in_time(cancelled) if outer is None else None
        self._collect()
        self._at = 0
        self._raise_errors(timeout)
        if outer is not None:
            raise outer
        return error is None or (
            isinstance(error, Cancelled) and cancelled and not self.participant.cancelled(self._outer)
        )

    def _stop_for(self, error: BaseException) -> None:
        """Cancel the tasks, because the body or the wait at the end of it has ended early."""
        if not isinstance(error, Cancelled):
            self._errors.append(error)
        if isinstance(error, (KeyboardInterrupt, Terminated)):
            self.participant.shorten_grace(error)
        if not self.participant.words[self._at + CANCELLED] and not (
            isinstance(error, Cancelled) and self.participant.cancelled(self._outer)
        ):
            cancel(self.participant, self._at)

    def _join(self) -> Cancelled | None:
        """Wait until all tasks have ended; return the cancellation that came from outside meanwhile, or None."""
        slot, outer = self._slot, None
        before, slot.shielded = slot.shielded, slot.shielded or bool(self._errors)
        self.participant.begin_wait()
        self.participant.clean_up(slot.shielded)
        try:
            self.participant.checkpoint(slot)
            self._wait_for_all()
            self.participant.checkpoint(slot)  # last: what has ended the tasks may be meant for their owner too
        except BaseException as error:  # noqa: BLE001 - it leaves once the tasks have ended
            self._stop_for(error)
            if isinstance(error, Cancelled):
                outer = error
            slot.shielded = True
            self.participant.clean_up(True)
            self._wait_for_all()
        slot.shielded = before
        self.participant.clean_up(before)
        return outer

    def _wait_for_all(self) -> None:
        while self._must_wait():
            self.participant.wait(None)

    def _must_wait(self) -> bool:
        words = self.participant.words
        if words[BROKEN]:  # then only the parent waits, for the supervisor to have collected all processes
            return self.participant.is_parent and self.participant.ordered[BROKEN] != ALL_GONE
        return bool(self.participant.ordered[self._at + LIVE])

    def _collect(self) -> None:
        """Take the outcomes out of the arena, and give the records back."""
        for task in self._tasks:
            error = task.failure()
            if error is not None and not any(error is known for known in self._errors):
                self._errors.append(error)
        participant, broken = self.participant, self.participant.words[BROKEN]
        if broken:
            death, participant.unreported = participant.unreported, None
            if death is not None and death not in self._errors:
                self._errors.append(death)
            return
        with participant.arena.claim, self.records:
            for task in self._tasks:
                self._forget(task)
            words = participant.words
            words[self._at + UNTIL] = 0  # the supervisor looks for it in all records, those that are free too
            participant.arena.free_record(self._at)
            self._at = 0
        if self._seconds is not None:  # while it knows of a limit, the supervisor looks for no deadlock
            participant.notify_supervisor()

    def _forget(self, task: Task) -> None:
        words, arena = self.participant.words, self.participant.arena
        if words[task.at + BLOCK]:
            arena.free(words[task.at + BLOCK], words[task.at + SIZE])
        arena.free_record(task.at)
        task.at = 0

    def _not_in_time(self, cancelled: bool) -> TimeoutError | None:
        """Return the error of a group whose time was over before it was cancelled or had ended."""
        if self._seconds is None:
            return None
        words = self.participant.words
        is_over = not cancelled and time.monotonic_ns() >= words[self._at + UNTIL]
        if not (is_over or words[self._at + STRUCK]):
            return None
        from concmodels.models.waiting.limit import not_in_time

        return not_in_time(self._seconds)

    def _raise_errors(self, timeout: TimeoutError | None) -> None:
        errors, self._errors = self._errors, []
        for error in errors:
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise error
        failure = None
        if errors:
            from concmodels.models.tasks.signals.frames import place, stack  # most children don't need it

            failure = BaseExceptionGroup(f"a task group failed{place(stack(sys._getframe(1)))}", errors)
        if timeout is not None:
            raise timeout from failure
        if failure is not None:
            raise failure from None


def _limit(timeout: float | None) -> float | None:
    """Return the seconds of a group's limit; None if there is none. Raises `TypeError` or `ValueError`."""
    if timeout is None:
        return None
    from concmodels.models.waiting.timeouts import must_be_seconds  # few tasks need it

    seconds = must_be_seconds(timeout)
    return seconds if seconds < _LONG_S else None
