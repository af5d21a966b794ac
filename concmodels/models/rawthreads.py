"""OS threads again, from the bottom up: `_thread`, its locks, and lists; nothing from `threading` or `queue`.

unit          one OS thread per task (`_thread.start_joinable_thread`)
scheduler     the operating system; preemptive: under the GIL one thread runs Python at a time
message       by reference
parallel      Python code only on a free-threaded build; C code that releases the GIL on every one
cancellation  raised by the library where a task waits; if suppressed, it is raised again at the next wait
sockets       `poll`, with a descriptor beside the socket that a cancellation makes readable

The whole trick of a queue: a lock guards the list, and a receiver that finds the list empty leaves *a second lock*,
one that is already taken, and acquires it again: there it sleeps until a sender releases it (`_Waiter` below).

`rawthreads:polling` is how it was done in a comparison of 2010, kept as a lesson: a thread that has to wait sleeps
0.1 ms and looks again. With one message under way, nearly all the time goes into those naps.

Limitations: as for threads.
"""

import math
import time
from _thread import TIMEOUT_MAX, _local, _ThreadHandle, allocate_lock, get_ident, start_joinable_thread
from functools import partial
from itertools import repeat

from concmodels.catalog import Variant
from concmodels.errors import ChannelClosed
from concmodels.models.waiting.channel import NOTHING, ChannelState
from concmodels.models.waiting.select import select_sync
from concmodels.models.waiting.timeouts import expired, seconds_to_sleep
from concmodels.models.waiting.waiter import CANCELLED, DONE, TIMED_OUT, Waiter, claim_first, wait

# isort: split
# Beside the core: signals, deadlocks, sockets, pools.
from concmodels.models.deadlocks.report import DEADLOCK_AFTER, patience
from concmodels.models.deadlocks.threads import ThreadDetector
from concmodels.models.pools.executor import Pool as _Pool
from concmodels.models.pools.run import Pools
from concmodels.models.sharing import share
from concmodels.models.tasks.group import TaskGroup as _TaskGroup
from concmodels.models.tasks.nesting import refusal
from concmodels.models.tasks.runs import run_of
from concmodels.models.tasks.signals.guard import Guard
from concmodels.models.tasks.task import Cancelled, Task
from concmodels.models.tasks.unjoined_threads import UnjoinedThreads
from concmodels.models.waiting.sockets.threads import PolledSockets, PollingWaiter, wait_polling
from concmodels.models.waiting.sockets.waits import READABLE, WRITABLE, descriptor
from concmodels.models.waiting.taken_lock import taken_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterator
    from typing import Any, Self

    from concmodels.errors import Selected
    from concmodels.models.waiting.sockets.waits import HasFileno

__all__ = [
    "Cancelled", "Channel", "Pool", "TaskGroup", "notify_closing", "now", "run", "select", "share", "sleep",
    "variant", "wait_readable", "wait_writable",
]  # fmt: skip

POLL_S = 0.0001
"""The seconds that the polling variant sleeps between two looks (the 2010 article's figure)."""

now = time.monotonic
_here = _local()  # `_here.task` is the task of this thread


class _Waiter(Waiter):
    """One wait of one task: the task acquires a lock that is already taken, and sleeps until `wake` releases it.

    A partner that finds the waiter in the queue of a channel calls `claim(DONE)`, gives or takes the `item`, and calls
    `wake`. A close, a timeout or a cancellation claims it too. Only the first claim succeeds (`waiting/waiter.py`):
    a wait ends for one reason, and an operation that a partner has claimed is done, whatever comes next.
    """

    __slots__ = ("_lock", "task")

    def __init__(self, item: Any = None, purpose: Any = None) -> None:
        super().__init__(item, purpose)
        self.task = self.current()
        self._lock = taken_lock()

    @staticmethod
    def current() -> Task:
        """Return the task of this thread; for a thread that the model did not start, a new one, never cancelled."""
        # `allocate_lock` stands in for its function, which is never called.
        return getattr(_here, "task", None) or Task(None, allocate_lock, (), f"thread {get_ident()}")

    def park(self, timeout: float | None) -> bool:
        """Wait until woken; return False if the timeout expired first. Raises `Cancelled`, or a pending Ctrl-C."""
        task = self.task
        task.timed = timeout is not None  # for the deadlock detector: such a wait ends by itself
        task.waiter = self  # first: a cancellation that comes after the look below finds the wait here and claims it
        try:
            # If a partner was first, the claim fails: the operation is done, and the next wait raises.
            if task.must_stop() and self.claim(CANCELLED):
                task.stop()
            if task.detector is None:
                woken = self.acquire(timeout)
            else:
                woken = task.detector.acquire(self, timeout)  # main's: it looks for signals and deadlocks meanwhile
        finally:
            task.waiter = None
        # Raise only once `wake` has released the lock, which may be a moment after the claim.
        if woken and self.outcome == CANCELLED:
            task.stop()
        return woken

    def acquire(self, timeout: float | None) -> bool:
        """Sleep until `wake` releases the lock, at most `timeout` seconds; returns False if it has not done so."""
        return self._lock.acquire(timeout=-1 if timeout is None else min(float(timeout), TIMEOUT_MAX))

    def wake(self) -> None:
        self._lock.release()


class Channel(ChannelState):
    """A channel between threads. `Channel(math.inf)` is the textbook queue below.

    The verbs that wait are here. The steps that do not are in `waiting/channel.py`: `_offer` hands an item to the first
    waiting receiver or buffers it, `_take` takes the oldest item and lets a waiting sender go on.
    """

    _new_waiter = _Waiter

    def __new__(cls, capacity: float = 0, name: str | None = None) -> Self:
        return super().__new__(_Unbounded if capacity == math.inf and cls is Channel else cls)  # type: ignore[return-value]

    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        super().__init__(capacity, name)
        # `next(self._yields, True)`: False 255 times, then True. One per channel, or threads would contend for it.
        self._yields = repeat(False, 255)

    def send(self, item: Any, timeout: float | None = None) -> None:
        """Send, waiting for room; on a rendezvous, until the item is taken.

        `timeout` is in seconds. Raises `ChannelClosed` or `TimeoutError`; then no task has received the item.
        """
        if next(self._yields, True):
            self._checkpoint()
        with self._lock:
            if self._offer(item):
                return
            if expired(timeout):
                raise self._no_waiting(self._senders)
            waiter = self._new_waiter(item, self)
            self._queue(waiter, self._senders)
        self._wait_for_partner(waiter, self._senders, timeout)

    def receive(self, timeout: float | None = None) -> Any:
        """Receive the oldest item, waiting for one.

        `timeout` is in seconds. Raises `ChannelClosed` (closed and drained) or `TimeoutError`.
        """
        if next(self._yields, True):
            self._checkpoint()
        with self._lock:
            item = self._take()
            if item is not NOTHING:
                return item
            if expired(timeout):
                raise self._no_waiting(self._receivers)
            waiter = self._new_waiter(None, self)
            self._queue(waiter, self._receivers)
        self._wait_for_partner(waiter, self._receivers, timeout)
        return waiter.item

    def __iter__(self) -> Iterator[Any]:
        """Receive until the channel is closed and drained."""
        try:
            while True:
                yield self.receive()
        except ChannelClosed:
            return

    def _wait_for_partner(self, waiter: Waiter, queue: deque[Waiter], timeout: float | None) -> None:
        """Wait until this waiter in the queue is claimed: by a partner, a close, the timeout or a cancellation."""
        try:
            if not waiter.park(timeout) and not waiter.claim(TIMED_OUT):
                waiter.park(None)  # claimed just before the timeout: the wake-up is on its way
        except BaseException:
            self._withdraw(waiter, queue)  # `park` raises only after it has claimed the wait: no partner can
            raise
        if waiter.outcome != DONE:
            self._settle(waiter, queue)  # raises `ChannelClosed` or `TimeoutError`

    def _checkpoint(self) -> None:
        """Raise a pending cancellation, at every 256th operation on the channel: for a task that never has to wait.

        It need not let other tasks run, as in the cooperative models: the operating system does that.
        """
        self._yields = repeat(False, 255)
        task = self._new_waiter.current()
        if task.must_stop():
            task.stop()


class _Unbounded(Channel):
    """A queue made out of locks: one guards the two lists, and each waiting receiver brings one to sleep on."""

    def send(self, item: Any, timeout: float | None = None) -> None:
        """Send; never waits, for there is always room. Raises `ChannelClosed`."""
        if next(self._yields, True):
            self._checkpoint()
        with self._lock:
            if self._closed:
                self._refuse(True)
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
        """As `Channel.receive`."""
        with self._lock:
            if self._buffer:
                return self._buffer.popleft()
            if self._closed:
                self._refuse()
            if expired(timeout):
                raise self._no_waiting(self._receivers)
            waiter = _Waiter(None, self)
            self._receivers.append(waiter)
        self._wait_for_partner(waiter, self._receivers, timeout)
        return waiter.item


def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait in the queues of several channels, with one waiter; see `concmodels.contract.Model.select`."""
    return select_sync(Channel, cases, timeout, priority)


class TaskGroup(_TaskGroup):
    """Raw threads that end together; the threads themselves are joined too."""

    waiter_type = _Waiter
    threaded = True

    def __init__(self, timeout: float | None = None) -> None:
        super().__init__(timeout)
        self._threads = UnjoinedThreads(_ThreadHandle.is_done)

    def start(self, task: Task) -> None:
        """Start the thread of a task."""
        self._threads.add(start_joinable_thread(partial(self._work, task)))

    @staticmethod
    def _work(task: Task) -> None:
        _here.task = task
        task.run()

    def join(self) -> None:
        """Wait until the threads are gone; their tasks have ended, so this is a matter of microseconds.

        A subinterpreter may be closed after the run. A thread that was still in its last steps then would stop there
        for ever.
        """
        self._threads.join()


class Pool(_Pool):
    """Workers that are raw threads; see `concmodels.contract.Pool`."""

    Channel = Channel
    TaskGroup = TaskGroup


@run_of("rawthreads")
def run[R](main: Callable[..., R], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` in the calling thread and return its result; see `concmodels.contract.Model.run`."""
    if getattr(_here, "task", None) is not None:
        raise refusal("rawthreads", "rawthreads")
    seconds = patience(deadlock_after)
    task = _here.task = Task(None, main, args, "main")
    try:
        with (
            Guard(task.interrupt, task.unfinished) as task.guard,
            ThreadDetector.of(task, seconds),
            Pools(task) as task.pools,
        ):
            return main(*args)
    finally:
        _here.task = None
        _SocketWaiter.sockets.close()


def sleep(seconds: float) -> None:
    """Sleep; other threads run meanwhile. A checkpoint."""
    wait(_Waiter(), seconds_to_sleep(seconds))  # it is in no queue: only the timeout or a cancellation ends it


class _SocketWaiter(PollingWaiter, _Waiter):
    """One wait of one task for a socket: the task polls the socket, and beside it a waker that `wake` wakes.

    The kernel finds that the socket is ready; then the task itself claims the wait. What claims it first, a
    cancellation or `notify_closing`, has to wake the task out of its `poll`.
    """

    __slots__ = ("direction", "key", "number", "polled", "socket")

    sockets = PolledSockets()

    def __init__(self, socket: Any, direction: str) -> None:
        self._claim = [None]
        self.outcome = ""
        self.task = self.current()
        self.socket = socket
        self.number = descriptor(socket)
        self.direction = direction
        self.key = self.number, direction
        self.polled = None


def wait_readable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket can be read or accepted from; see `concmodels.contract.Model.wait_readable`."""
    wait_polling(_SocketWaiter(socket, READABLE), timeout)


def wait_writable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket accepts bytes; see `concmodels.contract.Model.wait_writable`."""
    wait_polling(_SocketWaiter(socket, WRITABLE), timeout)


notify_closing = _SocketWaiter.sockets.notify_closing


class _PollingWaiter(_Waiter):
    """Waits by sleeping a little and looking again; is woken by a flag."""

    __slots__ = ("_woken",)

    def __init__(self, item: Any = None, purpose: Any = None) -> None:
        super().__init__(item, purpose)
        self._woken = False

    def acquire(self, timeout: float | None) -> bool:
        """Sleep until `wake` was called, at most `timeout` seconds; returns False if it was not."""
        deadline = math.inf if timeout is None else now() + float(timeout)
        while not self._woken and now() < deadline:
            time.sleep(POLL_S)
        return self._woken

    def wake(self) -> None:
        self._woken = True


class PollingChannel(Channel):
    """A channel whose tasks poll."""

    _new_waiter = _PollingWaiter


class PollingPool(_Pool):
    """Workers that poll; see `concmodels.contract.Pool`."""

    Channel = PollingChannel
    TaskGroup = TaskGroup


def _select_polling(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Perform a select among channels whose tasks poll."""
    return select_sync(PollingChannel, cases, timeout, priority)


def variant(name: str) -> Variant:
    """Return the model of the only variant, `polling`. Raises `KeyError` for another name."""
    if name != "polling":
        raise KeyError(name)
    return Variant("rawthreads:polling", __name__, select=_select_polling, Channel=PollingChannel, Pool=PollingPool)
