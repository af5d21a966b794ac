"""How a thread that waits for a socket is woken by another thread: it polls the socket, and beside it a waker.

A waker (`concmodels/platform/waking.py`) is a descriptor that can be read once it was woken. One for every waiting
thread would be a second descriptor for each connection of a server, so some threads share one. A waker that was woken
stays so, because all threads that poll it must see that. A thread that was not meant goes on with another waker, and
the last thread to leave a woken one closes it.

The thread of a connection waits once for every request. So a wait is a hot path: one object is the waiter and what it
waits for, and what has been polled is kept for the next wait for the same descriptor.
"""

import time

from concmodels.models.waiting.sockets.waits import EVENTS, SocketWaits, SocketWaitSteps
from concmodels.models.waiting.taken_lock import taken_lock
from concmodels.models.waiting.timeouts import must_be_seconds
from concmodels.models.waiting.waiter import CANCELLED, CLOSED, DONE, Waiter, wait
from concmodels.platform import waking
from concmodels.platform.polling import POLLIN, poll

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

WAKERS = 64
"""The most shared wakers that there are, not counting those that were woken just now."""


class SharedWaker:
    """A waker that some waiting threads poll."""

    __slots__ = ("polled_by", "waker", "woken")

    def __init__(self) -> None:
        self.waker = waking.make()
        self.polled_by = 0
        self.woken = False

    def wake(self) -> None:
        """Wake all threads that poll it. Takes no lock: a signal handler may call it."""
        self.woken = True  # first: a thread whose poll this ends looks whether the waker was woken
        waking.wake(self.waker)


class Polled:
    """The descriptors that one thread polls: one direction of its own, and a shared waker beside it."""

    __slots__ = ("_poller", "number", "poll", "released_when_woken", "shared")

    def __init__(self, number: int, direction: str, shared: SharedWaker) -> None:
        self.number = number
        self.shared = shared
        self.released_when_woken = taken_lock()
        self._poller = poll()
        self._poller.register(number, EVENTS[direction])
        self._poller.register(waking.descriptors(shared.waker)[0], POLLIN)
        self.poll = self._poller.poll

    def replace(self, woken: SharedWaker) -> None:
        """Poll the waker in `shared` instead of one that was woken."""
        self._poller.unregister(waking.descriptors(woken.waker)[0])
        self._poller.register(waking.descriptors(self.shared.waker)[0], POLLIN)


class PolledSockets(SocketWaits):
    """The waits for sockets of a model of threads. They are spread over the wakers by the number of the descriptor."""

    def __init__(self) -> None:
        super().__init__()
        self._wakers: dict[int, SharedWaker] = {}
        self._kept: dict[tuple[int, str], Polled] = {}

    def begin(self, wait: PollingWaiter) -> None:
        """As `SocketWaits.begin`; also give the wait what it polls, which `end` takes back."""
        key = wait.key
        with self._lock:
            polled = self._kept.pop(key, None)
            if polled is None or polled.shared.woken:
                polled = Polled(wait.number, wait.direction, self._waker(wait.number))
            polled.shared.polled_by += 1  # under the same lock that has found it: so it is not closed meanwhile
            wait.polled = polled  # first: whatever finds the wait may claim it, and then wakes the waker
            is_noted = self._waits.setdefault(key, wait) is wait
        try:
            if not is_noted:
                self.note(wait)
            # Only now: a close before this is seen here, and a `notify_closing` after it finds the wait.
            if wait.is_closed():
                raise wait.closed()
        except BaseException:
            wait.claim_or_wait_for_wakeup(CANCELLED)
            self.end(wait)
            raise

    def end(self, wait: PollingWaiter) -> None:
        """As `SocketWaits.end`. The caller knows that nothing is about to wake the waker for the sake of this wait."""
        key, polled = wait.key, wait.polled
        with self._lock:
            if self._waits.get(key) is wait:
                del self._waits[key]  # before the waker is left: what no longer finds the wait does not wake it
            self._leave(polled.shared)
            if wait.outcome == DONE:  # otherwise the waker may have been woken: the next wait gets another one
                self._kept[key] = polled

    def change_wakers(self, polled: Polled) -> SharedWaker:
        """Replace the waker by one that was not woken; return the old one, which the caller has to `leave`.

        Whatever claims the wait from here on wakes the new one, or has woken the old one again. So the caller has to
        check next whether the wait still `waits`.
        """
        with self._lock:
            before, polled.shared = polled.shared, self._waker(polled.number)
            polled.shared.polled_by += 1  # and the old one is left later: while it is counted, it stays open
        return before

    def leave(self, shared: SharedWaker) -> None:
        """Stop polling this waker. The caller knows that nothing will wake it for the caller's wait any more."""
        with self._lock:
            self._leave(shared)

    @staticmethod
    def _leave(shared: SharedWaker) -> None:
        shared.polled_by -= 1
        if shared.woken and not shared.polled_by:
            waking.close(shared.waker)

    def _waker(self, number: int) -> SharedWaker:
        """Return the waker for this descriptor; if no new one can be opened, return that of another place."""
        place = number % WAKERS
        shared = self._wakers.get(place)
        if shared is not None and not shared.woken:
            return shared
        try:
            shared = self._wakers[place] = SharedWaker()
        except OSError:
            others = [it for it in list(self._wakers.values()) if not it.woken]
            if not others:
                raise
            return others[0]
        return shared

    def close(self) -> None:
        """Close the wakers that no thread polls, when a run is over."""
        with self._lock:
            self._kept.clear()
            for place, shared in list(self._wakers.items()):
                if not shared.polled_by:
                    del self._wakers[place]
                    if not shared.woken:  # otherwise the last thread that polled it has closed it
                        waking.close(shared.waker)


class PollingWaiter(SocketWaitSteps, Waiter):
    """The wait of a thread for a socket, a mixin for a model's own kind of waiter: it polls instead of taking a lock.

    The kernel finds that the socket is ready; then the thread itself claims the wait. What claims it first, a
    cancellation or `notify_closing`, wakes the shared waker, and then releases a lock. So a thread that finds its wait
    claimed acquires the lock, and then knows that the waker will not be woken for it any more.
    """

    __slots__ = ()

    outside = True
    purpose = waiter = property(lambda self: self)  # one object is both
    key: tuple[int, str]
    polled: Any  # a `Polled` from `PolledSockets.begin` on, until `end`
    task: Any  # the model's, which says whether it must stop

    sockets: ClassVar[PolledSockets]

    def waits(self) -> bool:
        """As `Waiter.waits`, for a thread that has just taken a waker, while another may claim the wait and wake that.

        Each of the two writes one thing and then reads what the other one writes. Without the GIL, processors may let
        both read the old values, so that the waker of a claimed wait would not be woken. That can't happen if both take
        the same lock in between. CPython locks the list for the `pop` of `claim`, and for this copy too.
        """
        return bool(self._claim.copy())

    def is_over(self) -> bool:
        """As `Waiter.is_over`. A task that was cancelled just before its wait claims that itself, when it parks."""
        return not self.waits() or self.task.must_stop()

    def acquire(self, timeout: float | None) -> bool:
        """Poll for at most `timeout` seconds; return False if nothing has ended the wait by then."""
        until = None if timeout is None else time.monotonic() + timeout
        while self.waits():
            seconds = self.sockets.look_s()
            if until is not None:
                seconds = max(0, min(seconds, until - time.monotonic()))
            is_ready = self._poll(seconds)
            if self.is_closed():  # before `is_ready`: its number may be another socket's now, and that is ready
                return self.claim_or_wait_for_wakeup(CLOSED)
            if is_ready:
                return self.claim_or_wait_for_wakeup(DONE)
            if self.polled.shared.woken:
                if not self._change_wakers():
                    return True
            elif until is not None and time.monotonic() >= until:
                return False
        self.polled.released_when_woken.acquire()
        return True

    def wake(self) -> None:
        """Let the task go on; called once, by what has claimed the wait."""
        polled = self.polled
        polled.shared.wake()  # first: once the lock is released, the task may leave the waker, and close it
        polled.released_when_woken.release()

    def _poll(self, seconds: float) -> bool:
        """Poll the socket and the waker; return whether the socket is ready."""
        for number, _ in self.polled.poll(seconds * 1000):  # noqa: SIM110 - the generator of an any() is expensive
            if number == self.number:
                return True
        return False

    def claim_or_wait_for_wakeup(self, outcome: str) -> bool:
        """Claim the wait; if something else has done so, wait until it has woken the waker. Returns True."""
        if not self.claim(outcome):
            self.polled.released_when_woken.acquire()
        return True

    def _change_wakers(self) -> bool:
        """Go on with another waker, if this one was woken for another thread; return whether it was."""
        woken = self.sockets.change_wakers(self.polled)
        goes_on = self.waits()
        if goes_on:
            self.polled.replace(woken)
        else:
            self.polled.released_when_woken.acquire()
        self.sockets.leave(woken)
        return goes_on


def wait_polling(waiter: PollingWaiter, timeout: float | None) -> None:
    """Wait until the socket is ready, in a model of threads."""
    if timeout is not None:
        timeout = must_be_seconds(timeout)
    sockets = waiter.sockets
    sockets.begin(waiter)
    try:
        wait(waiter, timeout)
    finally:
        if waiter.outcome != DONE:
            waiter.claim(CANCELLED)  # unless something else has ended the wait
        sockets.end(waiter)
    if waiter.outcome != DONE:
        waiter.settle()
