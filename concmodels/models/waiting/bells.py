"""How a thread that waits for a socket is woken by another one: it polls a *bell* beside the socket.

A bell is a waker (`concmodels/platform/waking.py`): a descriptor that can be read once it was rung. One for every
waiting thread would be a second descriptor for each connection of a server, so some threads share one. A bell stays
rung, for all who poll it must see that. A thread that was not meant then goes on with another one, and the last to
leave a rung bell closes it.
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
    from typing import ClassVar

    from concmodels.models.waiting.sockets import SocketWait, SocketWaits
    from concmodels.models.waiting.taken_lock import TakenLock

BELLS = 64
"""How many bells there are at most, but for those that were rung just now."""


class Bell:
    """A descriptor that some waiting threads poll."""

    __slots__ = ("polled_by", "rung", "waker")

    def __init__(self) -> None:
        self.waker = waking.make()
        self.polled_by = 0
        self.rung = False

    def ring(self) -> None:
        """Wake all who poll it. Takes no lock: a signal handler may call it."""
        self.rung = True
        waking.wake(self.waker)


class Bells:
    """The bells of one model: the threads that wait for a socket are spread over them by its descriptor."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._bells: dict[int, Bell] = {}

    def join(self, waiter: BellWaiter) -> None:
        """Give the waiter a bell that was not rung. What claims it from here on rings that one.

        The lock does more than to guard the table. When it is given back, all processors see the waiter's bell; so the
        waiter either sees a claim when it looks for that next, or who claims it sees this bell.
        """
        place = waiter.purpose.number % BELLS
        with self._lock:
            bell = self._bells.get(place)
            if bell is None or bell.rung:
                bell = self._bells[place] = Bell()
            bell.polled_by += 1
            waiter.bell = bell  # type: ignore[misc] # the class that stands before a model's waiter has the slot

    def leave(self, bell: Bell) -> None:
        """Poll this bell no longer. The caller knows that nobody is about to ring it for its sake."""
        with self._lock:
            bell.polled_by -= 1
            if bell.rung and not bell.polled_by:
                waking.close(bell.waker)

    def close(self) -> None:
        """Close the bells that nobody polls, when a run is over."""
        with self._lock:
            for place, bell in list(self._bells.items()):
                if not bell.polled_by:
                    del self._bells[place]
                    if not bell.rung:  # else the last who polled it has closed it
                        waking.close(bell.waker)


class BellWaiter(Waiter):
    """The wait of a thread for a socket, in front of a model's own kind of waiter: it polls in the place of a lock.

    What claims the wait rings the bell, and then releases the lock as for any other wait. So a thread that finds its
    wait claimed acquires the lock, and knows that the bell will not be rung for it any more.
    """

    __slots__ = ()

    outside = True
    purpose: SocketWait
    bell: Bell
    _lock: TakenLock

    socket_waits: ClassVar[SocketWaits]
    bells: ClassVar[Bells]

    def park(self, timeout: float | None) -> bool:
        """Wait until the socket is ready, or the wait was claimed for another reason; a timeout claims it here."""
        self.bells.join(self)
        try:
            if not super().park(timeout) and not self.claim(TIMED_OUT):
                self._lock.acquire()
        finally:
            self.bells.leave(self.bell)
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
            if self.bell.rung:
                if not self._change_bells():
                    return True
            elif until is not None and time.monotonic() >= until:
                return False
        self._lock.acquire()
        return True

    def wake(self) -> None:
        """Let the task go on; called once, by what has claimed the wait."""
        bell = getattr(self, "bell", None)
        if bell is not None:  # else it is claimed before the task has joined a bell: then that looks, and does not poll
            bell.ring()
        super().wake()

    def _is_ready(self, seconds: float) -> bool:
        """Poll the socket and the bell; return whether the socket is ready."""
        poller = poll()
        number = self.purpose.number
        poller.register(number, EVENTS[self.purpose.direction])
        poller.register(waking.descriptors(self.bell.waker)[0], POLLIN)
        return any(fd == number for fd, _ in poller.poll(seconds * 1000))

    def _claim_or_wait_for_wakeup(self, outcome: str) -> bool:
        if not self.claim(outcome):
            self._lock.acquire()
        return True

    def _change_bells(self) -> bool:
        """Go on with another bell, if this one was rung for another thread; return whether it was."""
        rung = self.bell
        self.bells.join(self)
        goes_on = self.waits()
        if not goes_on:
            self._lock.acquire()
        self.bells.leave(rung)
        return goes_on
