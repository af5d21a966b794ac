"""Bare greenlets, and the small scheduler that they lack.

unit          one greenlet per task: a stack that can be left in the middle of a call and entered again
scheduler     the one below: a queue of those who can go on, first come, first served; cooperative
message       by reference
parallel      no: all greenlets of a run share one thread
cancellation  the library's own: where a task waits, at the latest after 256 operations that need not wait

A greenlet knows one thing: `other.switch()` stops here and goes on there. Everything else is bookkeeping. Who waits
puts itself into some queue and switches to the next greenlet that is ready (`Scheduler.leave`); who wakes it appends it
to the queue of the ready. There is no central loop: each greenlet hands on to the next one.

Limitations: a greenlet that computes stops all others, and so does a blocking call (a file, a socket, `time.sleep`):
use the model's `sleep`. A greenlet can't move to another thread; a channel can't be used from another one.
"""

import heapq
import math
import sys
import time
from _thread import _local, allocate_lock
from collections import deque
from itertools import count

from greenlet import getcurrent, greenlet

from concmodels.models.deadlocks.report import DEADLOCK_AFTER, deadlock, patience
from concmodels.models.deadlocks.threads import Watch
from concmodels.models.pools.executor import Pool as _Pool
from concmodels.models.pools.run import Pools
from concmodels.models.sharing import share
from concmodels.models.tasks.frames import stack
from concmodels.models.tasks.group import TaskGroup as _TaskGroup
from concmodels.models.tasks.interrupts import LOOK_UP_S, Guard
from concmodels.models.tasks.nesting import refusal
from concmodels.models.tasks.task import Cancelled, Task, TaskWaiter
from concmodels.models.waiting.channel import TIMED_OUT, turns, wait
from concmodels.models.waiting.cooperative import CooperativeChannel, CooperativeUnbounded, LoneWaiter
from concmodels.models.waiting.select import select_sync
from concmodels.models.waiting.timeouts import must_be_plain, seconds_to_sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

    from concmodels.errors import Deadlock, Selected

__all__ = ["Cancelled", "Channel", "Pool", "TaskGroup", "now", "run", "select", "share", "sleep"]

now = time.monotonic
_here = _local()


class Scheduler:
    """Who can go on, who sleeps until when, and what to do when nobody can go on."""

    def __init__(self, task: Task, model: str, patience: float | None) -> None:
        self.model = model
        self.main = getcurrent()
        self.tasks = {self.main: task}
        self.watch = Watch()
        self._task = task
        self._patience = patience
        self._ready: deque[greenlet] = deque()
        self._sleepers: list[tuple[float, int, _Waiter]] = []
        self._order = count()
        self._bell = allocate_lock()
        self._bell.acquire()
        self._nursery = greenlet(_enter)
        self._nursery.switch(self.main, None)

    def start(self, task: Task) -> None:
        """Make a greenlet for the task; it begins when its turn comes.

        The nursery enters it once, and it comes straight back: a greenlet lies on the stack and counts its recursion
        depth from where it was first entered, and entered from the end of a chain of others it would have none left.
        """
        unit = greenlet(self._work, self.main)
        self.tasks[unit] = task
        self._nursery.switch(unit, getcurrent())
        self.ready(unit)

    def ready(self, unit: greenlet) -> None:
        """Let this greenlet go on when its turn comes. A signal handler may call it."""
        self._ready.append(unit)
        if self._bell.locked():
            self._bell.release()

    def wake_at(self, deadline: float, waiter: _Waiter) -> None:
        """End this wait when the clock shows `deadline`."""
        heapq.heappush(self._sleepers, (deadline, next(self._order), waiter))

    def leave(self) -> None:
        """Stop here; go on when somebody has made this greenlet ready and its turn has come."""
        (self._ready.popleft() if self._ready else self._next()).switch()

    def give_way(self) -> None:
        """Let the others run first."""
        self._wake_sleepers()
        if self._ready:
            self.ready(getcurrent())
            self.leave()
        task = self.tasks[getcurrent()]
        if task.must_stop():
            task.stop()

    def _work(self, spawner: greenlet) -> None:
        unit = getcurrent()
        spawner.switch()
        self.tasks[unit].run()
        del self.tasks[unit]
        unit.parent = self._next()  # whoever ends goes on as its parent

    def _next(self) -> greenlet:
        while not self._ready:
            self._idle()
        return self._ready.popleft()

    def _idle(self) -> None:
        """Nobody is ready: sleep until the first sleeper's time, or find that nobody will ever be."""
        self._bell.acquire(blocking=False)
        if self._ready:
            return
        if self._sleepers:
            pause = self._sleepers[0][0] - now()
            if pause > 0:
                self._bell.acquire(timeout=min(pause, LOOK_UP_S))  # a signal handler that wakes somebody releases it
            self._wake_sleepers()
        elif self._patience is None:
            self._bell.acquire(timeout=LOOK_UP_S)  # only a signal handler can end this
        else:
            error = self.watch.find(self._describe())
            self._task.abort(error)
            if not self._ready:  # the main task is busy ending the others: it is theirs
                raise error

    def _describe(self) -> Deadlock:
        here, frame = getcurrent(), sys._getframe()
        return deadlock(
            (task.name, stack(frame if unit is here else unit.gr_frame)) for unit, task in self.tasks.items()
        )

    def _wake_sleepers(self) -> None:
        while self._sleepers and self._sleepers[0][0] <= now():
            heapq.heappop(self._sleepers)[2].finish(TIMED_OUT)


def _enter(unit: greenlet, spawner: greenlet | None) -> None:
    """The nursery: enters the new greenlets, all from the same place."""
    while True:
        unit, spawner = unit.switch(spawner)


def run[R](main: Callable[..., R], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` in the calling greenlet and return its result; see `concmodels.contract.Model.run`.

    A deadlock is found at once, unless `deadlock_after` is None.
    """
    return run_with(main, args, "greenlet", deadlock_after)


def run_with[R](main: Callable[..., R], args: tuple[Any, ...], model: str, deadlock_after: float | None) -> R:
    """`run`, for this model and for the tasklets, which share the scheduler."""
    must_be_plain(main, model)
    running: Scheduler | None = getattr(_here, "scheduler", None)
    if running is not None:
        raise refusal(model, running.model)
    seconds = patience(deadlock_after)
    task = Task(None, main, args, "main")
    scheduler = _here.scheduler = Scheduler(task, model, seconds)
    try:
        with (
            Guard(task.interrupt, task.unfinished, scheduler.main) as task.guard,
            scheduler.watch,
            Pools(task) as task.pools,
        ):
            return main(*args)
    finally:
        _here.scheduler = None


def sleep(seconds: float) -> None:
    """Sleep; the other greenlets run meanwhile. A checkpoint; `sleep(0)` lets them have their turn."""
    seconds = seconds_to_sleep(seconds)
    if seconds:
        wait(_Waiter(), seconds)
    else:
        _give_way()


def _give_way() -> None:
    scheduler().give_way()


def scheduler() -> Scheduler:
    """The scheduler of the run in this thread."""
    current: Scheduler | None = getattr(_here, "scheduler", None)
    if current is None:
        raise RuntimeError("this has to wait, and nothing else can run here: call it inside `run`")
    return current


class _Waiter(LoneWaiter, TaskWaiter):
    """A task waits by switching away, and is woken by a place in the queue of the ready."""

    __slots__ = ("_scheduler", "_unit")

    def __init__(self, item: Any = None) -> None:
        self.item = item
        self.outcome = ""
        self._scheduler = scheduler()
        self._unit = getcurrent()
        self.task = self._scheduler.tasks[self._unit]

    @staticmethod
    def current() -> Task:
        """The task of this greenlet."""
        return scheduler().tasks[getcurrent()]

    def _block(self, timeout: float | None) -> bool:
        if timeout is not None:
            self._scheduler.wake_at(now() + float(timeout), self)
        self._scheduler.leave()
        return True

    def wake(self) -> None:
        self._scheduler.ready(self._unit)


class TaskGroup(_TaskGroup):
    """Greenlets that end together."""

    waiter_type = _Waiter

    def start(self, task: Task) -> None:
        """Make the greenlet of a task."""
        scheduler().start(task)


class Channel(CooperativeChannel):
    """A channel between greenlets. `Channel(math.inf)` has a shorter way."""

    _new_waiter = _Waiter
    _turns = turns()
    _visit_scheduler = staticmethod(_give_way)

    def __new__(cls, capacity: float = 0, name: str | None = None) -> Self:
        return super().__new__(_Unbounded if capacity == math.inf and cls is Channel else cls)  # type: ignore[return-value]


def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait for the first of several channels; see `concmodels.contract.Model.select`."""
    return select_sync(Channel, cases, timeout, priority)


class Pool(_Pool):
    """Workers that are greenlets; see `concmodels.contract.Pool`."""

    Channel = Channel
    TaskGroup = TaskGroup


class _Unbounded(CooperativeUnbounded, Channel):
    """`Channel(math.inf)`: nobody waits for room."""
