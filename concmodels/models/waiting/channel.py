"""How waiting works, for plain code; `awaited.py` says the same with `await`.

A channel is a buffer and two queues of waiters, senders and receivers:

        senders that wait            buffer             receivers that wait
     [s2 "d"] [s1 "c"]  ──────►  | "b" | "a" |  ──────►  (only while the buffer is empty)

A `Waiter` is one wait of one task. It is *claimed* exactly once: by a partner, by a close, by a timeout or by a
cancellation. Whoever claims it decides the outcome and wakes the task; everybody else finds it taken and looks for the
next. So nothing is ever handed to a task that has stopped waiting, and no task is woken twice.

What a partner has claimed is done, and nothing is ever given back. A cancellation that reaches the task after that, but
before the task has gone on, does not undo the operation: it returns, and the cancellation strikes at the task's next
checkpoint (`put_off`).

The steps (`_offer`, `_take` ...) know no scheduler and never wait; they run under the channel's lock. The verbs wait,
and for that they take `park` and `wake` from the model's own kind of waiter: a lock, a switch, a future.
"""

import math
import time
from _thread import allocate_lock
from collections import deque
from itertools import cycle, repeat

from concmodels.errors import ChannelClosed, WouldBlock
from concmodels.models.waiting.timeouts import must_be_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import Any, ClassVar, NoReturn, Self

DONE, CLOSED, TIMED_OUT, CANCELLED, RETRY = "done", "closed", "timed out", "cancelled", "retry"
"""What a claim can decide. RETRY: look again, the item you were woken for went to somebody quicker."""

NOTHING = object()


class Waiter:
    """One wait of one task; a model adds how to `park` the task and how to `wake` it."""

    __slots__ = ("_claim", "item", "outcome")

    def __init__(self, item: Any = None) -> None:
        self._claim = [None]
        self.item = item
        self.outcome = ""

    def claim(self, outcome: str) -> bool:
        """Decide this wait; True for the one caller who is first."""
        try:
            self._claim.pop()  # atomic with and without the GIL, and takes no lock: a signal handler may claim
        except IndexError:
            return False
        self.outcome = outcome
        return True

    def waits(self) -> bool:
        """Whether nobody has claimed it yet."""
        return bool(self._claim)

    def park(self, timeout: float | None) -> Any:
        """Wait to be woken; False if the timeout struck first. Awaited in the async models."""
        raise NotImplementedError(f"{type(self).__name__} must say how its task waits")

    def wake(self) -> None:
        """Let the parked task go on. Called once, by whoever claimed the waiter."""
        raise NotImplementedError(f"{type(self).__name__} must say how its task is woken")

    def put_off(self, error: BaseException) -> None:
        """Raise `error` at the task's next checkpoint: it came after a partner had completed this operation.

        Where the library itself does the cancelling, this does not happen: only who claims a wait raises in it.
        """
        raise error

    def finish(self, outcome: str) -> bool:
        """Claim and wake; True for the one caller who is first."""
        if not self.claim(outcome):
            return False
        self.wake()
        return True


def claim_first(waiters: deque[Waiter]) -> Waiter | None:
    """Take the first waiter that nobody has claimed yet out of the queue, claimed for a partner."""
    while waiters:
        waiter = waiters.popleft()
        if waiter.claim(DONE):
            return waiter
    return None


def forget(waiters: deque[Waiter], waiter: Waiter) -> None:
    """Take a waiter out of its queue, if a partner has not done so before."""
    if waiter in waiters:
        waiters.remove(waiter)


def expired(timeout: float | None) -> bool:
    """Whether this timeout allows no waiting at all. Raises `TypeError` or `ValueError` if it is no number."""
    if timeout is None:
        return False
    return must_be_seconds(timeout) <= 0


def deadline(timeout: float | None) -> float | None:
    """The moment when this timeout strikes. Raises as `expired`."""
    if timeout is None:
        return None
    return time.monotonic() + must_be_seconds(timeout)


def remaining(until: float | None) -> float | None:
    """What is left of a timeout that strikes then."""
    return None if until is None else max(0, until - time.monotonic())


class ChannelState:
    """What sync and async channels share: the state of a channel and the steps that change it, none of which waits."""

    _new_waiter: ClassVar[Callable[..., Waiter]]
    _turns: Iterator[bool]
    _visit_scheduler: Callable[..., Any]

    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        if not (capacity == math.inf or (isinstance(capacity, int) and capacity >= 0)):
            raise ValueError(f"a channel's capacity is a whole number from 0, or math.inf, not {capacity!r}")
        self._capacity = capacity
        self._name = name
        self._closed = False
        self._buffer: deque[Any] = deque()
        self._senders: deque[Waiter] = deque()
        self._receivers: deque[Waiter] = deque()
        self._lock: AbstractContextManager[Any] = allocate_lock()

    @property
    def capacity(self) -> float:
        """How many items it holds: 0 is a rendezvous, `math.inf` has no bound."""
        return self._capacity

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    @property
    def name(self) -> str | None:
        """The name it was given."""
        return self._name

    def __len__(self) -> int:
        """The number of items held now; a snapshot."""
        return len(self._buffer)

    def __repr__(self) -> str:
        label = f" {self._name!r}" if self._name else ""
        state = "closed" if self._closed else "open"
        return f"<Channel{label} {len(self)} of {self._capacity} {state}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send_nowait(self, item: Any) -> None:
        """Send without waiting; raises `WouldBlock` or `ChannelClosed`."""
        with self._lock:
            if not self._offer(item):
                raise WouldBlock(f"{self!r} has no room and nobody waits to receive")

    def receive_nowait(self) -> Any:
        """Receive without waiting; raises `WouldBlock` or `ChannelClosed`."""
        with self._lock:
            item = self._take()
        if item is NOTHING:
            raise WouldBlock(f"{self!r} is empty")
        return item

    def close(self) -> None:
        """Accept nothing more, for everybody. What was accepted stays receivable. Never waits."""
        with self._lock:
            self._closed = True
            for queue in (self._senders, self._receivers):
                while queue:
                    queue.popleft().finish(CLOSED)

    # The steps. Each runs under the lock and leaves this true: receivers wait only while the buffer is empty, senders
    # only while it is full. So a newcomer can't overtake those who wait.

    def _offer(self, item: Any) -> bool:
        """Hand the item to a waiting receiver, or keep it if there is room; False if neither."""
        if self._closed:
            self._refuse()
        if self._receivers:
            receiver = claim_first(self._receivers)
            if receiver is not None:
                receiver.item = item
                receiver.wake()
                return True
        if len(self._buffer) < self._capacity:
            self._buffer.append(item)
            return True
        return False

    def _take(self) -> Any:
        """Take the oldest item, from the buffer or from a waiting sender; NOTHING if there is none."""
        if self._buffer:
            item = self._buffer.popleft()
            if self._senders:
                sender = claim_first(self._senders)
                if sender is not None:
                    self._buffer.append(sender.item)
                    sender.wake()
            return item
        sender = claim_first(self._senders) if self._senders else None
        if sender is not None:
            sender.wake()
            return sender.item
        if self._closed:
            self._refuse()
        return NOTHING

    def _queue(self, waiter: Waiter, queue: deque[Waiter]) -> None:
        """Nothing can be done now: the task will wait."""
        queue.append(waiter)

    def _withdraw(self, waiter: Waiter, queue: deque[Waiter]) -> bool:
        """Stop waiting, because an exception was thrown into the wait; False if a partner was first."""
        with self._lock:
            waiter.claim(CANCELLED)
            if waiter.outcome == DONE:
                return False
            forget(queue, waiter)
            return True

    def _settle(self, waiter: Waiter, queue: deque[Waiter]) -> None:
        """Turn the outcome of a wait into a return or an exception."""
        if waiter.outcome == DONE:
            return
        if waiter.outcome == CLOSED:
            self._refuse()
        with self._lock:
            forget(queue, waiter)
        raise TimeoutError(f"{self!r}: nobody came in time")

    def _refuse(self) -> NoReturn:
        raise ChannelClosed(f"channel {self._name!r} is closed" if self._name else "the channel is closed")


class SyncChannel(ChannelState):
    """The verbs that may wait, in plain code."""

    def send(self, item: Any, timeout: float | None = None) -> None:
        """Send, waiting for room; on a rendezvous, until the item is taken.

        `timeout` is in seconds. Raises `ChannelClosed` or `TimeoutError`: then the item has reached nobody.
        """
        if next(self._turns, True):
            self._visit_scheduler()
        with self._lock:
            if self._offer(item):
                return
            if expired(timeout):
                raise TimeoutError(f"{self!r} has no room")
            waiter = self._new_waiter(item)
            self._queue(waiter, self._senders)
        self._wait(waiter, self._senders, timeout)

    def receive(self, timeout: float | None = None) -> Any:
        """Receive the oldest item, waiting for one.

        `timeout` is in seconds. Raises `ChannelClosed` (closed and drained) or `TimeoutError`.
        """
        if next(self._turns, True):
            self._visit_scheduler()
        with self._lock:
            item = self._take()
            if item is not NOTHING:
                return item
            if expired(timeout):
                raise TimeoutError(f"{self!r} is empty")
            waiter = self._new_waiter()
            self._queue(waiter, self._receivers)
        self._wait(waiter, self._receivers, timeout)
        return waiter.item

    def __iter__(self) -> Iterator[Any]:
        """Receive until the channel is closed and drained."""
        try:
            while True:
                yield self.receive()
        except ChannelClosed:
            return

    def _wait(self, waiter: Waiter, queue: deque[Waiter], timeout: float | None) -> None:
        try:
            if not waiter.park(timeout) and not waiter.claim(TIMED_OUT):
                waiter.park(None)  # as `wait`, but for its call
        except BaseException as error:
            if self._withdraw(waiter, queue):
                raise
            waiter.put_off(error)
        if waiter.outcome != DONE:
            self._settle(waiter, queue)


def wait(waiter: Waiter, timeout: float | None) -> None:
    """Park until the waiter is claimed, or claim it for the timeout."""
    if not waiter.park(timeout) and not waiter.claim(TIMED_OUT):
        waiter.park(None)  # somebody was first, and his wake is on its way


class Event:
    """Something that happens once and that tasks wait for: the end of a task, the last of a group."""

    def __init__(self, new_waiter: Callable[..., Waiter]) -> None:
        self._new_waiter = new_waiter
        self._waiters: deque[Waiter] = deque()
        self._lock = allocate_lock()
        self.happened = False

    def set(self) -> None:
        """It has happened: everybody who waits goes on."""
        with self._lock:
            self.happened = True
            while self._waiters:
                self._waiters.popleft().finish(DONE)

    def wait(self, timeout: float | None = None) -> None:
        """Wait until it has happened; raises `TimeoutError`."""
        with self._lock:
            if self.happened:
                return
            if expired(timeout):
                raise TimeoutError("it has not happened yet")
            waiter = self._new_waiter()
            self._waiters.append(waiter)
        try:
            wait(waiter, timeout)
        finally:
            if waiter.outcome != DONE:
                waiter.claim(CANCELLED)
                with self._lock:
                    forget(self._waiters, waiter)
        if waiter.outcome == TIMED_OUT:
            raise TimeoutError("it did not happen in time")


def turns(size: int = 256) -> Iterator[bool]:
    """Count operations: an endless iterator that says True at every `size`-th step.

    In a cooperative model that is when the one who has done so many in a row lets the others run. One count serves all
    channels of a model. It is the channel's fairness, and where a task that never has to wait can be cancelled. (It is
    an iterator in C because a counter in Python would cost more than the operation.)
    """
    return cycle([*repeat(False, size - 1), True])
