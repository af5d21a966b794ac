"""Who finds a deadlock, and how it leaves `run`.

greenlet, tasklets and gevent know at once that nothing can go on. The others look now and then. Threads have main do
it, while it waits itself: without main's waiting there is no deadlock. So nobody else is needed, and who never waits
for long pays nothing. The event loops have a timer: `loops.py`, and in the eventlet model.
"""

import sys
import time
from _thread import get_ident

from concmodels.errors import Deadlock
from concmodels.models.deadlocks.report import Stillness, deadlock, strangers
from concmodels.models.tasks.frames import stack
from concmodels.models.tasks.interrupts import LOOK_UP_S
from concmodels.models.waiting.channel import CANCELLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Self

    from concmodels.models.tasks.task import Task, TaskWaiter


class Watch:
    """Around main: once a deadlock was found `run` raises it, whatever main made of it."""

    calls_off: tuple[type[BaseException], ...] = ()
    """What main ends with when the deadlock cancelled it; anything else went wrong in the clean-up."""

    def __init__(self) -> None:
        self.found: Deadlock | None = None

    def find(self, error: Deadlock) -> Deadlock:
        """Note a deadlock; the first is the cause of the others."""
        self.found = self.found or error
        return error

    def verdict(self) -> Deadlock:
        """What was found."""
        assert self.found is not None, "main was cancelled, but not for a deadlock"
        return self.found

    def stop(self) -> None:
        """Look no longer."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        found = self.found
        if found is None or error is found or isinstance(error, (KeyboardInterrupt, SystemExit)):
            return
        if error is None or isinstance(error, (Deadlock, *self.calls_off)):
            raise found from None
        raise found from error


class LookUp(Watch):
    """Has main, which waits for a lock, look up now and then: it may have missed a signal that came just before."""

    def block(self, waiter: TaskWaiter, timeout: float | None) -> bool:
        """Block as main; False if the time is over."""
        if timeout is None:
            return self.block_for_ever(waiter)
        until = time.monotonic() + float(timeout)
        while (rest := until - time.monotonic()) > LOOK_UP_S:
            if waiter._block(LOOK_UP_S):
                return True
        return waiter._block(max(0, rest))

    def block_for_ever(self, waiter: TaskWaiter) -> bool:
        """The same without a timeout."""
        while not waiter._block(LOOK_UP_S):
            pass  # a signal handler has had its chance
        return True


class ThreadWatch(LookUp):
    """Looks at the tasks of a run of threads whenever main has waited for a while without a timeout."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self.tasks: dict[Task, None] = {}

    @classmethod
    def of(cls, main: Task, seconds: float | None) -> Watch:
        """The watch of a run: a blind one if nobody is to look."""
        if seconds is None:
            main.watch = blind = LookUp()
            return blind
        main.ident = get_ident()
        main.watch = watch = cls(seconds)
        main.sign_on(watch.tasks)
        return watch

    def block_for_ever(self, waiter: TaskWaiter) -> bool:
        """As `LookUp.block_for_ever`, looking round between the slices of the wait. Raises `Deadlock`."""
        still = Stillness(self._seconds)
        while not waiter._block(min(still.pause, LOOK_UP_S)):
            if still.lasts(self._waits()):
                if waiter.claim(CANCELLED):
                    raise self.find(self._describe())
                return waiter._block(None)  # somebody came at the last moment
        return True

    def _waits(self) -> dict[Task, Any]:
        """Each task and its wait; nothing if one of them can go on, or if somebody else could send."""
        waits = {}
        for task in list(self.tasks):
            waiter = task.waiter
            if waiter is None or task.timed or task.shielded or not waiter.waits():
                return {}
            waits[task] = waiter
        return {} if strangers(task.ident for task in waits) else waits

    def _describe(self) -> Deadlock:
        frames = sys._current_frames()
        return deadlock((task.name, stack(frames.get(task.ident))) for task in list(self.tasks))
