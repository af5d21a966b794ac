"""OS threads.

unit          one OS thread per task (`threading.Thread`)
scheduler     the operating system; preemptive: under the GIL one thread runs Python at a time, in turns of 5 ms
message       by reference: sender and receiver hold the same object
parallel      Python code only on a free-threaded build (`GIL` below); C code that releases the GIL on every one
cancellation  raised by the library where a task waits; if suppressed, it is raised again at the next wait
sockets       `poll`, with a descriptor beside the socket that a cancellation makes readable

Limitations: a thread that computes and never waits, or waits for something else, such as a `threading.Lock`, can't be
stopped; a cancelled group that has waited 5 seconds for it names it in a warning. With the GIL, one CPU-bound thread
delays messages of the others by one turn, and several delay them by many, because the GIL has no queue. Without the
GIL, CPython leaves it to the thread that made an object to free it (biased reference counting, PEP 703): what a waiting
thread has made and others have dropped, such as the last result of a pool's worker, is kept until that thread runs
again. While there is a thread that the run did not start, or the program has a signal handler, a suspected deadlock is
not raised, because either could send an item; after 5 seconds a warning describes it instead.
"""

import math
import sys
import threading
import time
from itertools import repeat

from concmodels.errors import ChannelClosed
from concmodels.models.waiting.channel import NOTHING, ChannelState
from concmodels.models.waiting.select import select_sync
from concmodels.models.waiting.timeouts import deadline, expired, remaining, seconds_to_sleep
from concmodels.models.waiting.waiter import CANCELLED, CLOSED, DONE, RETRY, TIMED_OUT, Waiter, wait

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
    "wait_readable", "wait_writable",
]  # fmt: skip

GIL = sys._is_gil_enabled()
"""Whether this interpreter had the GIL switched on when this model was imported."""

now = time.monotonic
_here = threading.local()  # `_here.task` is the task of this thread


class _Waiter(Waiter):
    """One wait of one task: the task acquires a lock that is already taken, and sleeps until `wake` releases it.

    A partner that finds the waiter in the queue of a channel calls `claim(DONE)`, gives or takes the `item`, and calls
    `wake`. A close, a timeout or a cancellation claims it too. Only the first claim succeeds (`waiting/waiter.py`):
    a wait ends for one reason, and an operation that a partner has claimed is done, whatever comes next.

    A cancellation first notes itself, and then looks for a wait to claim (`Task.cancel`); `park` first notes the wait,
    and then looks for a cancellation. So one of the two finds the other.
    """

    __slots__ = ("_lock", "task")

    def __init__(self, item: Any = None, purpose: Any = None) -> None:
        # `Waiter.__init__` and `current`, written out: there is a waiter for every wait.
        self._claim = [None]  # `claim` pops it: that succeeds once
        self.item = item
        self.outcome = ""
        self.purpose = purpose
        self.task = getattr(_here, "task", None) or self.current()
        self._lock = taken_lock()

    @staticmethod
    def current() -> Task:
        """Return the task of this thread; for a thread that the model did not start, a new one, never cancelled."""
        return getattr(_here, "task", None) or Task(None, _waits, (), threading.current_thread().name)

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
        return self._lock.acquire(timeout=-1 if timeout is None else min(float(timeout), threading.TIMEOUT_MAX))

    def wake(self) -> None:
        self._lock.release()


def _waits() -> None:
    """Stand in for the function of a thread that this model did not start; never called."""


class Channel(ChannelState):
    """A channel between threads. `Channel(math.inf)` makes an `_Unbounded`, which mostly does without the lock.

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

        It need not let other tasks run, as in the cooperative models: the operating system does that. Receiving from
        an unbounded channel is one `popleft`, which isn't counted: there a cancellation is raised when the task waits.
        """
        self._yields = repeat(False, 255)
        task = self._new_waiter.current()
        if task.must_stop():
            task.stop()


class _Unbounded(Channel):
    """One append to send, one popleft to receive: both are atomic, with the GIL and without it.

    The lock is taken only by a task that has to wait, and by a sender that serves one. A receiver puts itself into the
    queue, sets `_alert` and then looks into the buffer once more; a sender appends and then reads `_alert`. So one of
    the two sees the other, whatever the order.

    `close` replaces `_append` by `_refuse_item`. A sender may have read `_append` just before. With the GIL its append
    follows at once, because the interpreter switches only after calls and at jumps. Without the GIL the append may
    come after the close: then the sender sees `_alert`, and takes its item back unless a receiver has it already.
    """

    def __init__(self, capacity: float = math.inf, name: str | None = None) -> None:
        super().__init__(capacity, name)
        self._alert = False  # whether a sender has more to do: a receiver waits, or the channel is closed
        self._append: Callable[[Any], None] = self._buffer.append
        self._popleft = self._buffer.popleft

    def send(self, item: Any, timeout: float | None = None) -> None:
        """Send; never waits, for there is always room. Raises `ChannelClosed`."""
        if next(self._yields, True):
            self._checkpoint()
        self._append(item)
        if self._alert:
            self._finish_send(item)

    send_nowait = send

    def receive(self, timeout: float | None = None) -> Any:
        """As `Channel.receive`."""
        try:
            return self._popleft()
        except IndexError:
            return self._wait_for_one(timeout)

    def __iter__(self) -> Iterator[Any]:
        """Receive until the channel is closed and drained."""
        buffer, popleft = self._buffer, self._popleft
        while True:
            try:
                while True:
                    yield popleft()
            except IndexError:
                pass  # empty for now: wait below
            while not buffer:  # in a loop of its own: an IndexError for each wait would be expensive
                try:
                    item = self._wait_for_one(None)
                except ChannelClosed:
                    return
                yield item
                del item  # so that nothing holds it while the next one is waited for

    def close(self) -> None:
        """As `Channel.close`."""
        with self._lock:
            self._append = self._refuse_item
            self._closed = self._alert = True
            self._serve()
            while self._receivers:
                self._receivers.popleft().finish(CLOSED)

    def _wait_for_one(self, timeout: float | None) -> Any:
        until = deadline(timeout) if timeout is not None else None
        while True:
            with self._lock:
                if self._buffer or self._closed:
                    item = self._take()
                    if item is not NOTHING:
                        return item
                if timeout is not None and expired(timeout):
                    raise self._no_waiting(self._receivers)
                waiter = _Waiter(None, self)
                self._queue(waiter, self._receivers)
            self._wait_for_partner(waiter, self._receivers, timeout)
            if waiter.outcome == DONE:
                return waiter.item
            timeout = remaining(until)  # RETRY: a faster receiver took the item, so wait for another one

    def _queue(self, waiter: Waiter, queue: deque[Waiter]) -> None:
        """Do the receiver's half of what the class describes. If an item has come, the waiter gets it at once."""
        queue.append(waiter)
        self._alert = True
        if self._buffer:
            self._serve()

    def _offer(self, item: Any) -> bool:
        if self._closed:
            self._refuse(True)
        self._buffer.append(item)
        self._serve()
        return True

    def _take(self) -> Any:
        try:
            return self._popleft()
        except IndexError:  # it is empty, perhaps since a moment ago: `_popleft` needs no lock
            if self._closed:
                self._refuse()
            return NOTHING

    def _finish_send(self, item: Any) -> None:
        """Do the rest of a `send` that saw `_alert`: serve receivers, or undo it if it came after the close."""
        with self._lock:
            if self._closed:
                self._take_back(item)
            else:
                self._serve()

    def _serve(self) -> None:
        """Hand items to waiting receivers. If another one took the item, without the lock, the receiver tries again."""
        buffer, receivers = self._buffer, self._receivers
        while buffer and receivers:
            receiver = receivers.popleft()
            if receiver.claim(DONE):
                try:
                    receiver.item = buffer.popleft()
                except IndexError:
                    receiver.outcome = RETRY
                receiver.wake()
        self._alert = self._closed or bool(receivers)

    def _take_back(self, item: Any) -> None:
        """Undo an append that came after the close, and refuse the item. If it is gone, it was received."""
        later = []
        try:
            while (last := self._buffer.pop()) is not item:
                later.append(last)
        except IndexError:
            last = NOTHING
        self._buffer.extend(reversed(later))
        if last is item:
            self._refuse(True)

    def _refuse_item(self, _item: Any) -> None:
        self._refuse(True)

    def _settle(self, waiter: Any, queue: Any) -> None:
        """As `ChannelState._settle`; after a RETRY `_wait_for_one` waits again."""
        if waiter.outcome != RETRY:
            super()._settle(waiter, queue)


def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait in the queues of several channels, with one waiter; see `concmodels.contract.Model.select`."""
    return select_sync(Channel, cases, timeout, priority)


class TaskGroup(_TaskGroup):
    """Threads that end together; the threads themselves are joined too."""

    waiter_type = _Waiter
    threaded = True

    def __init__(self, timeout: float | None = None) -> None:
        super().__init__(timeout)
        self._threads = UnjoinedThreads(lambda thread: not thread.is_alive())

    def start(self, task: Task) -> None:
        """Start the thread of a task."""
        thread = threading.Thread(target=self._work, args=(task,), name=task.name)
        thread.start()
        self._threads.add(thread)

    @staticmethod
    def _work(task: Task) -> None:
        _here.task = task
        task.run()

    def join(self) -> None:
        """Wait until the threads are gone; their tasks have ended, so this is a matter of microseconds."""
        self._threads.join()


class Pool(_Pool):
    """Workers that are threads; see `concmodels.contract.Pool`."""

    Channel = Channel
    TaskGroup = TaskGroup


@run_of("threads")
def run[R](main: Callable[..., R], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` in the calling thread and return its result; see `concmodels.contract.Model.run`."""
    if getattr(_here, "task", None) is not None:
        raise refusal("threads", "threads")
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
