"""Finds a deadlock among threads, and makes `run` raise it.

greenlet, tasklets and gevent know at once that nothing can go on. The others look now and then. Among threads main does
so, while it waits itself: unless main waits, there is no deadlock. So no other thread is needed, and a program that
never waits for long pays nothing. The event loops have a timer: `loops.py`, and in the eventlet model.
"""

import sys
import time
from _thread import get_ident

from concmodels.errors import Deadlock
from concmodels.models import FOLDER
from concmodels.models.deadlocks.report import NoProgress, deadlock, outside_helper
from concmodels.models.tasks.signals.frames import stack
from concmodels.models.tasks.signals.guard import LOOK_UP_S
from concmodels.models.waiting.waiter import CANCELLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from concmodels.models.tasks.task import LockWaiter, Task

STUCK_S = 5.0
"""The seconds after which a run warns that all its tasks wait, and that only something outside of it could wake one."""


class DeadlockDetector:
    """Surrounds main: once a deadlock was found, `run` raises it, whatever main has made of it."""

    cancellations: tuple[type[BaseException], ...] = ()
    """The exceptions that main ends with when the deadlock cancelled it; any other is a failure in the clean-up."""

    def __init__(self) -> None:
        self.found: Deadlock | None = None

    def find(self, error: Deadlock) -> Deadlock:
        """Note a deadlock, and return it. `run` raises the first one that was noted: it is the cause of the others."""
        self.found = self.found or error
        return error

    def verdict(self) -> Deadlock:
        """Return the deadlock that was found."""
        assert self.found is not None, "main was cancelled, but not for a deadlock"
        return self.found

    def stop(self) -> None:
        """Stop looking."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        found = self.found
        if found is None or error is found or isinstance(error, (KeyboardInterrupt, SystemExit)):
            return
        if error is None or isinstance(error, (Deadlock, *self.cancellations)):
            raise found from None
        raise found from error


class LookUp(DeadlockDetector):
    """Wakes main now and then while it waits for a lock: it may have missed a signal that came just before."""

    def acquire(self, waiter: LockWaiter, timeout: float | None) -> bool:
        """Block main, at most `timeout` seconds; return False if they have passed."""
        if timeout is None:
            return self.acquire_without_timeout(waiter)
        until = time.monotonic() + float(timeout)
        while (rest := until - time.monotonic()) > LOOK_UP_S:
            if waiter.acquire(LOOK_UP_S):
                return True
        return waiter.acquire(max(0, rest))

    def acquire_without_timeout(self, waiter: LockWaiter) -> bool:
        """Block main until woken; return True."""
        while not waiter.acquire(LOOK_UP_S):
            pass  # a signal handler has had its chance
        return True


class ThreadDetector(LookUp):
    """Looks at the tasks of a run of threads whenever main has waited for a while without a timeout.

    If only a signal handler, or a thread that the run did not start, could wake a task, that is no deadlock, because it
    might do so: a warning says so, once. In a notebook there always are such threads.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._pause = min(NoProgress(seconds).pause, LOOK_UP_S)  # between two looks
        self._warned = False
        self.tasks: dict[Task, None] = {}

    @classmethod
    def of(cls, main: Task, seconds: float | None) -> DeadlockDetector:
        """Return the detector of a run; one that only looks for signals, if `seconds` is None."""
        if seconds is None:
            main.detector = look_up = LookUp()
            return look_up
        main.ident = get_ident()
        main.detector = detector = cls(seconds)
        main.sign_on(detector.tasks)
        return detector

    def acquire_without_timeout(self, waiter: LockWaiter) -> bool:
        """As `LookUp.acquire_without_timeout`, with a look at all tasks between two slices.

        Raises `Deadlock`; and the `RuntimeWarning` of a run that is stuck, where warnings are errors.
        """
        if waiter.acquire(self._pause):
            return True  # most waits are short
        progress, stuck = NoProgress(self._seconds), NoProgress(max(self._seconds, STUCK_S))
        while True:
            waits = self._waits()
            helper = outside_helper(task.ident for task in waits) if waits else ""
            # Two clocks, of which one runs: `progress` while nothing could wake a task, `stuck` while only a helper
            # could. An empty dict sets a clock back.
            if progress.lasts({} if helper else waits):
                if waiter.claim(CANCELLED):  # then no partner can: the error leaves a wait that has done nothing
                    raise self.find(self._describe())
                return waiter.acquire(None)  # a partner came at the last moment
            if stuck.lasts(waits if helper else {}) and not self._warned:
                warning = self._warn(helper)
                if warning is not None and waiter.claim(CANCELLED):
                    raise warning
            if waiter.acquire(self._pause):
                return True

    def _waits(self) -> dict[Task, object]:
        """Return each task's wait; an empty dict if one of the tasks can go on by itself."""
        waits: dict[Task, object] = {}
        for task in list(self.tasks):
            waiter = task.waiter
            if waiter is None or waiter.outside or task.timed or task.shielded or not waiter.waits():
                return {}
            waits[task] = waiter
        return waits

    def _describe(self) -> Deadlock:
        frames = sys._current_frames()
        return deadlock((task.name, task.waiter, stack(frames.get(task.ident))) for task in list(self.tasks))

    def _warn(self, helper: str) -> RuntimeWarning | None:
        """Warn, once, that only this helper could wake a task; return the warning where warnings are errors."""
        import warnings

        self._warned = True
        tasks = "1 task" if len(self.tasks) == 1 else f"{len(self.tasks)} tasks"
        moved = f"nothing has moved for {max(self._seconds, STUCK_S):g} s in this run of {tasks}, and "
        left = f"only {helper} could still wake one; if nothing will, interrupt it (Ctrl-C)"
        message = str(Deadlock(moved + left, self._describe().waits))
        try:
            warnings.warn(message, RuntimeWarning, skip_file_prefixes=(FOLDER,))
        except RuntimeWarning as warning:
            return warning
        return None
