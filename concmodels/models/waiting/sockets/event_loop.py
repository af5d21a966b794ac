"""An event loop in one file: how tasks that share a thread wait for a moment or for a socket.

While some task can go on, a scheduler needs no event loop: it takes the next one out of the queue of the ready. When
that queue is empty, something from outside has to happen: a moment comes, a socket becomes ready, or a signal handler
wakes a task. The loop sleeps until the first of the three, and all three end in the same way: they claim the wait of a
task (`Waiter.finish`), and that puts the task into the queue.

    moments    a heap, the earliest first. The loop sleeps until that one at the latest
    sockets    a `Poller` (on Linux it is an epoll): the kernel's list of the descriptors that a task waits for.
               To sleep is to ask it which of them are ready, and to be patient with the answer
    the waker  a descriptor in that list, which wakes the loop when it is written to. A signal handler does that: the
               system call returns for a signal, but Python calls it again for the rest of the time

The last two are made when a task waits for a socket for the first time. Until then the loop sleeps on a lock, which
opens no descriptor, and to wake it is to release the lock.

A busy scheduler never sleeps, but tasks that keep handing on to each other must not keep sockets and moments waiting.
So now and then it looks without sleeping: the same call, which then returns at once (`look`).

A descriptor is *armed* for one event. Once the kernel has reported it, it reports nothing more until the next wait arms
the descriptor again. That costs a system call for each wait. Without it, a socket that is ready and that no task reads
would wake the loop again and again.
"""

import heapq
import time
from _thread import allocate_lock
from itertools import count

from concmodels.models.waiting.sockets.waits import EVENTS, LOOK_S, OTHER, SocketWaits
from concmodels.models.waiting.timeouts import must_be_seconds
from concmodels.models.waiting.waiter import CANCELLED, CLOSED, DONE, TIMED_OUT
from concmodels.platform import waking
from concmodels.platform.polling import POLLIN, POLLOUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sized
    from typing import Any

    from concmodels.models.waiting.waiter import Waiter

BUSY_LOOK_S = 0.0005
"""The seconds after which a busy scheduler looks for sockets and moments again."""

_EVENTS_OF_OTHER = [(direction, EVENTS[other]) for direction, other in OTHER.items()]


class EventLoop(SocketWaits):
    """The moments and the sockets that the tasks of one run wait for. `ready` is the queue of those that can go on."""

    def __init__(self, ready: Sized) -> None:
        super().__init__()
        self.waits = self._waits  # it is empty while no task waits for a socket, which is quickly seen
        self.asleep = False
        self._ready = ready
        self.moments: list[tuple[float, int, Waiter]] = []
        self._most_moments = 64
        self._order = count()
        self.look_at = self._find_closed_at = 0.0
        self._released_to_wake = allocate_lock()
        self._released_to_wake.acquire()
        self._poller: Any = None  # until a task waits for a socket
        self._waker = self._waker_number = 0

    def close(self) -> None:
        """Close the loop's descriptors, when the run is over."""
        if self._poller is not None:
            self._poller.close()
            waking.close(self._waker)

    def _open(self) -> None:
        """From now on, sleep on the kernel's list of descriptors and no longer on the lock."""
        self._waker = waking.make()
        self._waker_number = waking.descriptors(self._waker)[0]
        poller = waking.Poller()
        poller.add(self._waker_number)
        self._poller = poller

    # What a waiting task does.

    def wake_at(self, moment: float, waiter: Waiter) -> None:
        """End this wait when the clock shows `moment`."""
        heapq.heappush(self.moments, (moment, next(self._order), waiter))
        if len(self.moments) > self._most_moments:  # most waits end before their timeout: drop those
            self.moments[:] = [it for it in self.moments if it[2].waits()]
            heapq.heapify(self.moments)
            self._most_moments = max(64, 2 * len(self.moments))

    def begin(self, wait: Any) -> None:
        """Note a wait, and have the kernel watch the socket. Raises as `SocketWaits.begin`."""
        if self._poller is None:
            self._open()
        if self.waits.setdefault(wait.key, wait) is not wait:
            super().begin(wait)
        events = EVENTS[wait.direction]
        if (wait.number, OTHER[wait.direction]) in self.waits:
            events = POLLIN | POLLOUT
        try:
            self._poller.arm(wait.number, events)
        except BaseException:  # a file on a disk can't be polled
            del self.waits[wait.key]
            raise

    def end(self, wait: Any) -> None:
        """Forget a wait that is over; unless its socket became ready, the kernel still watches that."""
        key = wait.key
        noted: Any = self.waits.get(key)
        if noted is not wait:
            return  # another one has replaced it, and has armed the descriptor for itself
        del self.waits[key]
        if wait.outcome == DONE or wait.outcome == CLOSED:
            return
        if wait.is_closed():
            self._poller.doubt(wait.number)
        elif (wait.number, OTHER[wait.direction]) in self.waits:
            self._poller.arm(wait.number, EVENTS[OTHER[wait.direction]])
        else:
            self._poller.disarm(wait.number)

    def end_closed(self, wait: Any) -> None:
        """End a wait for a socket that was closed without `notify_closing`."""
        super().end_closed(wait)
        self._poller.doubt(wait.number)

    def end_waits_for(self, number: int) -> None:
        """End the waits for a descriptor that is about to be closed."""
        super().end_waits_for(number)
        if self._poller is not None:
            self._poller.disarm(number)

    # What the scheduler does.

    def has_waits(self) -> bool:
        """Return whether there is a moment or a socket that some task waits for."""
        while self.moments and not self.moments[0][2].waits():
            heapq.heappop(self.moments)
        return bool(self.moments or self.waits)

    def sleep(self, longest: float) -> None:
        """Sleep until something has happened, at most `longest` seconds. May return before anything has."""
        self.asleep = True  # first: a signal handler that comes after the look below finds this, and wakes the loop
        try:
            if self._ready:
                longest = 0
            elif self.moments:
                longest = max(0, min(longest, self.moments[0][0] - time.monotonic()))
            events = self._sleep(longest)
        finally:
            self.asleep = False
        self._end_waits(events)

    def _sleep(self, longest: float) -> list[tuple[int, int]]:
        if self._poller is None:
            self._released_to_wake.acquire(timeout=longest)
            return []
        events: list[tuple[int, int]] = self._poller.poll_finely(longest)
        return events

    def wake(self) -> None:
        """End a `sleep`. A signal handler may call it."""
        if self._poller is not None:
            waking.wake(self._waker)
            return
        try:
            self._released_to_wake.release()
        except RuntimeError:
            pass  # another signal handler has released it just before

    def look(self) -> None:
        """Look for what has happened, without sleeping. A busy scheduler calls this when the clock shows `look_at`."""
        self._end_waits([] if self._poller is None else self._poller.poll(0))

    def _end_waits(self, found: list[tuple[int, int]]) -> None:
        """End the waits for what has happened: for these events, and because of the time."""
        for number, events in found:
            if number == self._waker_number:
                waking.wait(self._waker)  # which forgets that it was woken
            else:
                self._end_waits_for_socket(number, events)
        now = time.monotonic()
        while self.moments and self.moments[0][0] <= now:
            heapq.heappop(self.moments)[2].finish(TIMED_OUT)
        if self.waits and now >= self._find_closed_at:
            self.find_closed()
            self._find_closed_at = now + LOOK_S
        self.look_at = now + BUSY_LOOK_S

    def _end_waits_for_socket(self, number: int, events: int) -> None:
        """End the waits for a descriptor; an error, or the end of the other side, ends both directions."""
        for direction, others in _EVENTS_OF_OTHER:
            wait = self.waits.get((number, direction))
            if wait is None:
                continue
            if events == others:
                self._poller.arm(number, EVENTS[direction])  # this one has not been told of anything yet
            else:
                wait.waiter.finish(CLOSED if wait.is_closed() else DONE)


def wait_in_event_loop(waiter: Any, timeout: float | None) -> None:
    """Wait until the socket is ready, in the event loop of the waiter's scheduler."""
    if timeout is not None:
        timeout = must_be_seconds(timeout)
    loop = waiter.task.scheduler.loop
    loop.begin(waiter)
    try:
        waiter.park(timeout)
    finally:
        waiter.claim(CANCELLED)  # unless something else has ended the wait
        loop.end(waiter)
    if waiter.outcome != DONE:
        waiter.settle()
