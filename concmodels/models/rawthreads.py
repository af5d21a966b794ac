"""OS threads again, from the bottom: `_thread.start_new_thread`, locks and lists, nothing from `threading` or `queue`.

unit          one OS thread per task (`_thread.start_new_thread`)
scheduler     the operating system, preemptively; under the GIL one thread runs Python at a time
message       by reference
parallel      only on a free-threaded build
cancellation  the library's own: where a task waits; swallowed, it is raised again at the next wait

The whole trick of a queue: a lock guards the list, and a receiver that finds the list empty leaves *a second lock*,
one that is already taken, and acquires it again: there it sleeps until a sender releases it (`_Waiter` below).

`rawthreads:polling` is how it was done in a comparison of 2010, kept as a lesson: who has to wait sleeps 0.1 ms and
looks again. With one message under way, nearly all the time goes into those naps.

Limitations: as for threads. A raw thread can't be joined, so its stack may outlive its task by some microseconds.
"""

import math
import time
from _thread import TIMEOUT_MAX, _local, allocate_lock, get_ident, start_new_thread

from concmodels.models.deadlocks.report import DEADLOCK_AFTER, patience
from concmodels.models.deadlocks.threads import ThreadWatch
from concmodels.models.pools.executor import Pool as _Pool
from concmodels.models.pools.run import Pools
from concmodels.models.sharing import share
from concmodels.models.tasks.group import TaskGroup as _TaskGroup
from concmodels.models.tasks.interrupts import Guard
from concmodels.models.tasks.nesting import refusal
from concmodels.models.tasks.task import Cancelled, PreemptiveChannel, Task, TaskWaiter
from concmodels.models.variant import Model
from concmodels.models.waiting.channel import claim_first, expired, wait
from concmodels.models.waiting.select import select_sync
from concmodels.models.waiting.timeouts import must_be_plain, seconds_to_sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

    from concmodels.errors import Selected

__all__ = ["Cancelled", "Channel", "Pool", "TaskGroup", "now", "run", "select", "share", "sleep", "variant"]

POLL_S = 0.0001
"""How long the polling variant sleeps between two looks, in seconds (the 2010 article's figure)."""

now = time.monotonic
_here = _local()


def run[R](main: Callable[..., R], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` in the calling thread and return its result; see `concmodels.contract.Model.run`."""
    must_be_plain(main, "rawthreads")
    if getattr(_here, "task", None) is not None:
        raise refusal("rawthreads", "rawthreads")
    seconds = patience(deadlock_after)
    task = _here.task = Task(None, main, args, "main")
    try:
        with (
            Guard(task.interrupt, task.unfinished) as task.guard,
            ThreadWatch.of(task, seconds),
            Pools(task) as task.pools,
        ):
            return main(*args)
    finally:
        _here.task = None


def sleep(seconds: float) -> None:
    """Sleep; other threads run meanwhile. A checkpoint."""
    wait(_Waiter(), seconds_to_sleep(seconds))


class _Waiter(TaskWaiter):
    """To wait is to acquire a lock that is taken; to wake is to release it."""

    __slots__ = ("_bell",)

    def __init__(self, item: Any = None) -> None:
        super().__init__(item)
        self._bell = allocate_lock()
        self._bell.acquire()

    @staticmethod
    def current() -> Task:
        """The task of this thread; a thread that is none gets a handle of its own, which nobody cancels."""
        return getattr(_here, "task", None) or Task(None, allocate_lock, (), f"thread {get_ident()}")

    def _block(self, timeout: float | None) -> bool:
        return self._bell.acquire(timeout=-1 if timeout is None else min(float(timeout), TIMEOUT_MAX))

    def wake(self) -> None:
        self._bell.release()


class TaskGroup(_TaskGroup):
    """Raw threads that end together."""

    waiter_type = _Waiter
    threaded = True

    def start(self, task: Task) -> None:
        """Start the thread of a task."""
        start_new_thread(self._work, (task,))

    @staticmethod
    def _work(task: Task) -> None:
        _here.task = task
        task.run()


class Channel(PreemptiveChannel):
    """A channel between threads. `Channel(math.inf)` is the textbook queue below."""

    _new_waiter = _Waiter

    def __new__(cls, capacity: float = 0, name: str | None = None) -> Self:
        return super().__new__(_Unbounded if capacity == math.inf and cls is Channel else cls)  # type: ignore[return-value]


def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait for the first of several channels; see `concmodels.contract.Model.select`."""
    return select_sync(Channel, cases, timeout, priority)


class Pool(_Pool):
    """Workers that are raw threads; see `concmodels.contract.Pool`."""

    Channel = Channel
    TaskGroup = TaskGroup


class _Unbounded(Channel):
    """A queue made out of locks: one guards the two lists, and each waiting receiver brings one to sleep on."""

    def send(self, item: Any, timeout: float | None = None) -> None:
        """Send; never waits, for there is always model. Raises `ChannelClosed`."""
        if next(self._turns, True):
            self._visit_scheduler()
        with self._lock:
            if self._closed:
                self._refuse()
            if not self._receivers:
                self._buffer.append(item)
                return
            receiver = claim_first(self._receivers)
            if receiver is None:
                self._buffer.append(item)
                return
            receiver.item = item
            receiver.wake()

    send_nowait = send

    def receive(self, timeout: float | None = None) -> Any:
        """As `SyncChannel.receive`."""
        with self._lock:
            if self._buffer:
                return self._buffer.popleft()
            if self._closed:
                self._refuse()
            if expired(timeout):
                raise TimeoutError(f"{self!r} is empty")
            waiter = _Waiter()
            self._receivers.append(waiter)
        self._wait(waiter, self._receivers, timeout)
        return waiter.item


class _PollingWaiter(TaskWaiter):
    """To wait is to sleep a little and look again; to wake is to leave a mark."""

    __slots__ = ("_rung",)
    current = staticmethod(_Waiter.current)

    def __init__(self, item: Any = None) -> None:
        super().__init__(item)
        self._rung = False

    def _block(self, timeout: float | None) -> bool:
        deadline = math.inf if timeout is None else now() + float(timeout)
        while not self._rung and now() < deadline:
            time.sleep(POLL_S)
        return self._rung

    def wake(self) -> None:
        self._rung = True


class PollingChannel(PreemptiveChannel):
    """A channel whose users poll."""

    _new_waiter = _PollingWaiter


class PollingPool(_Pool):
    """Workers that poll; see `concmodels.contract.Pool`."""

    Channel = PollingChannel
    TaskGroup = TaskGroup


def _select_polling(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """`select` among channels whose users poll."""
    return select_sync(PollingChannel, cases, timeout, priority)


def variant(name: str) -> Model:
    """The model of a variant: `polling`."""
    if name != "polling":
        raise KeyError(name)
    return Model(
        "rawthreads:polling",
        run=run,
        select=_select_polling,
        sleep=sleep,
        now=now,
        Channel=PollingChannel,
        TaskGroup=TaskGroup,
        find_pool=lambda: PollingPool,
        share=share,
        Cancelled=Cancelled,
    )
