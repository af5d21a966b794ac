"""How a thread that waits for a socket is woken by another thread: it polls the socket, and beside it a waker.

A waker (`concmodels/platform/waking.py`) is a descriptor that can be read once it was woken. One for every waiting
thread would be a second descriptor for each connection of a server, so some threads share one. A waker that was woken
stays so, for all who poll it must see that. A thread that was not meant goes on with another one, and the last to leave
a woken one closes it.
"""

import time
from _thread import allocate_lock
from select import POLLIN, poll

from concmodels.models.waiting.sockets import EVENTS
from concmodels.models.waiting.timeouts import deadline, remaining
from concmodels.models.waiting.waiter import CLOSED, DONE, TIMED_OUT, Waiter
from concmodels.platform import waking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from concmodels.models.waiting.sockets import SocketWait, SocketWaits
    from concmodels.models.waiting.taken_lock import TakenLock

WAKERS = 64
"""How many shared wakers there are at most, but for those that were woken just now."""


class SharedWaker:
    """A waker that some waiting threads poll."""

    __slots__ = ("polled_by", "waker", "woken")

    def __init__(self) -> None:
        self.waker = waking.make()
        self.polled_by = 0
        self.woken = False

    def wake(self) -> None:
        """Wake all who poll it. Takes no lock: a signal handler may call it."""
        self.woken = True
        waking.wake(self.waker)


class SharedWakers:
    """The wakers of one model: the threads that wait for a socket are spread over them by its descriptor."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._wakers: dict[int, SharedWaker] = {}

    def join(self, waiter: PollingWaiter) -> None:
        """Give the waiter a waker that was not woken. What claims the wait from here on wakes that one.

        The waiter has to look next whether it `waits`: either it sees a claim then, or what claims it sees this waker.
        """
        place = waiter.purpose.number % WAKERS
        with self._lock:
            shared = self._wakers.get(place)
            if shared is None or shared.woken:
                shared = self._new(place)
            shared.polled_by += 1
            waiter.shared = shared  # type: ignore[misc] # the class that stands before a model's waiter has the slot

    def _new(self, place: int) -> SharedWaker:
        """Make the waker of this place. Where there are too many descriptors, one of another place has to do."""
        try:
            shared = self._wakers[place] = SharedWaker()
        except OSError:
            others = [it for it in list(self._wakers.values()) if not it.woken]
            if not others:
                raise
            return others[0]
        return shared

    def leave(self, shared: SharedWaker) -> None:
        """Poll this waker no longer. The caller knows that nobody is about to wake it for the caller's sake."""
        with self._lock:
            shared.polled_by -= 1
            if shared.woken and not shared.polled_by:
                waking.close(shared.waker)

    def close(self) -> None:
        """Close the wakers that nobody polls, when a run is over."""
        with self._lock:
            for place, shared in list(self._wakers.items()):
                if not shared.polled_by:
                    del self._wakers[place]
                    if not shared.woken:  # else the last who polled it has closed it
                        waking.close(shared.waker)


class PollingWaiter(Waiter):
    """The wait of a thread for a socket, in front of a model's own kind of waiter: it polls in the place of a lock.

    What claims the wait wakes the shared waker, and then releases the lock as for any other wait. So a thread that
    finds its wait claimed acquires the lock, and knows then that the waker will not be woken for it any more.
    """

    __slots__ = ()

    outside = True
    purpose: SocketWait
    shared: SharedWaker
    task: Any  # the model's, which says whether it must stop
    _lock: TakenLock

    socket_waits: ClassVar[SocketWaits]
    wakers: ClassVar[SharedWakers]

    def waits(self) -> bool:
        """As `Waiter.waits`, for a thread that has just taken a waker, which what claims the wait looks for in turn.

        Each of the two writes one thing and then reads what the other one writes. Without the GIL, processors may let
        both read the old values, so that the waker of a claimed wait would not be woken. That can't happen if both take
        the same lock in between. `claim` pops from the list, for which CPython locks it, and so it does for a copy.
        """
        return bool(self._claim.copy())

    def is_over(self) -> bool:
        """As `Waiter.is_over`. A task that was cancelled just before its wait claims that itself, when it parks."""
        return not self.waits() or self.task.must_stop()

    def park(self, timeout: float | None) -> bool:
        """Wait until the socket is ready, or the wait was claimed for another reason; a timeout claims it here."""
        self.wakers.join(self)
        try:
            if not super().park(timeout) and not self.claim(TIMED_OUT):
                super().park(None)  # claimed just before the timeout: the wake-up is on its way
        finally:
            self.wakers.leave(self.shared)
        return True

    def acquire(self, timeout: float | None) -> bool:
        """Poll for at most `timeout` seconds; return False if nothing has ended the wait by then."""
        until = deadline(timeout)
        while self.waits():
            rest = remaining(until)
            longest = self.socket_waits.look_s()
            if self._is_ready(longest if rest is None else min(rest, longest)):
                return self._claim_or_wait_for_wakeup(CLOSED if self.purpose.is_closed() else DONE)
            if self.purpose.is_closed():
                return self._claim_or_wait_for_wakeup(CLOSED)
            if self.shared.woken:
                if not self._change_wakers():
                    return True
            elif until is not None and time.monotonic() >= until:
                return False
        self._lock.acquire()
        return True

    def wake(self) -> None:
        """Let the task go on; called once, by what has claimed the wait."""
        shared = getattr(self, "shared", None)
        if shared is not None:  # else the task has not joined one yet: when it has, it sees the claim and does not poll
            shared.wake()
        super().wake()

    def _is_ready(self, seconds: float) -> bool:
        """Poll the socket and the waker; return whether the socket is ready."""
        poller = poll()
        number = self.purpose.number
        poller.register(number, EVENTS[self.purpose.direction])
        poller.register(waking.descriptors(self.shared.waker)[0], POLLIN)
        return any(fd == number for fd, _ in poller.poll(seconds * 1000))

    def _claim_or_wait_for_wakeup(self, outcome: str) -> bool:
        if not self.claim(outcome):
            self._lock.acquire()
        return True

    def _change_wakers(self) -> bool:
        """Go on with another waker, if this one was woken for another thread; return whether it was."""
        woken = self.shared
        self.wakers.join(self)
        goes_on = self.waits()
        if not goes_on:
            self._lock.acquire()
        self.wakers.leave(woken)
        return goes_on
