"""How a task that waits is woken, and how a process learns of another one's end, as Linux has it.

A *waker* is what one thread waits for, and what all others wake it by. It is one whole number above 0, so that it fits
in a word of shared memory: in the process that has made it, and in its interpreters, that number is all it takes. Here
it is an eventfd. A port provides the names that stand here:

    make, close        a new waker, and its end
    wake               wakes, and never waits itself. A waker that nobody waits for is woken too: the next wait returns
                       at once. Several times count as once. It may be called in a signal handler
    wait               waits until the waker is woken, and forgets that it was
    block              the same, and the fastest there is: the hot paths use it. It may raise `InterruptedError` when a
                       signal has come and its handler has run
    timed              the same with a limit
    is_any_woken       whether some wait would return at once
    descriptors, joined
                       a waker as descriptors, which can be sent to another process, and as the waker made of them there
    pair               two descriptors: what is written to the second can be read from the first; neither ever blocks
    drain, duplicate, close_descriptor
                       reads what was written there; `dup` and `close` of such a descriptor, or of a socket
    Poller             waits for some of many descriptors
    end_of             a descriptor that can be read once a process has ended, however many others have copies of what
                       that one had open; None where the system has no such thing
    own_end            descriptors that tell of the end of this process: its children get the first, and nobody else may
                       have the others
    wait_for_end       waits until the process on the other side of a socket has closed it, or is dead
    tied_to_parent, tie_to_parent
                       have the system kill a process when its parent dies, where it can

All that a task has stored before it wakes another is seen by that one when it goes on; the system calls see to that.
"""

import os
import time

from concmodels.platform import PORTABLE, WINDOWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from select import epoll

__all__ = [
    "Poller", "block", "close", "close_descriptor", "descriptors", "drain", "duplicate", "end_of", "is_any_woken",
    "joined", "make", "own_end", "pair", "tie_to_parent", "tied_to_parent", "timed", "wait", "wait_for_end", "wake",
]  # fmt: skip

close: Callable[[int], object]
block: Callable[[int], object]
wait: Callable[[int], object]
wake: Callable[[int], object]

_SET_DEATH_SIGNAL = 1  # of prctl
_SET_SUBREAPER = 36

_ONE_SHOT = 1 << 30  # select.EPOLLONESHOT

_POLLED_S = 0.001  # epoll and poll count milliseconds, rounded up

LONGEST_S = 3600.0
"""The kernel counts milliseconds in 32 bits: a wait with a limit returns after an hour at the latest."""


def make() -> int:
    """Make a waker."""
    return os.eventfd(0, os.EFD_CLOEXEC)


def timed(waker: int) -> Callable[[float], None]:
    """Return a function that waits until the waker is woken or so many seconds (or `LONGEST_S`) have passed."""
    from concmodels.platform.polling import POLLIN, poll

    poller = poll()
    poller.register(descriptors(waker)[0], POLLIN)

    def wait_for(seconds: float) -> None:
        if poller.poll(min(seconds, LONGEST_S) * 1000):
            wait(waker)

    return wait_for


def is_any_woken(wakers: Iterable[int]) -> bool:
    """Return whether one of the wakers was woken and its wait has not returned."""
    from concmodels.platform.polling import POLLIN, poll

    poller = poll()
    for waker in wakers:
        poller.register(descriptors(waker)[0], POLLIN)
    return bool(poller.poll(0))


def descriptors(waker: int) -> tuple[int, ...]:
    """Return what another process needs of a waker. The first descriptor can be read while the waker is woken."""
    return (waker,)


def joined(*parts: int) -> int:
    """Return the waker that these descriptors are in this process."""
    return parts[0]


def pair() -> tuple[int, int]:
    """Make two such descriptors."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    return reader, writer


def drain(fd: int) -> None:
    """Read what was written."""
    os.read(fd, 4096)


duplicate, close_descriptor = os.dup, os.close


class Poller:
    """Waits until some of many descriptors can be read or written, or their other side is closed.

    The kernel keeps the list of them. It drops a descriptor from it when the last copy of that is closed, and tells
    nobody: so `arm` looks whether there is one to modify. If a copy is open elsewhere, in a child process say, the
    kernel goes on watching it, under a number that may be another's by now: such a number is in doubt.
    """

    def __init__(self) -> None:
        from select import epoll

        self._epoll: epoll = epoll()
        self._in_doubt: set[int] = set()
        self._timer: int | None = None

    def add(self, fd: int) -> None:
        """Poll this descriptor too, for whether it can be read."""
        from select import EPOLLIN

        self._epoll.register(fd, EPOLLIN)

    def remove(self, fd: int) -> None:
        """Stop polling this descriptor, which is still open."""
        self._epoll.unregister(fd)

    def arm(self, fd: int, events: int) -> None:
        """Poll this descriptor for these events (`POLLIN`, `POLLOUT`, in the place of others) until one was reported.

        Raises `PermissionError` for what can't be polled: a file on a disk, which is always ready.
        """
        try:
            self._epoll.modify(fd, events | _ONE_SHOT)
        except FileNotFoundError:
            self._epoll.register(fd, events | _ONE_SHOT)

    def disarm(self, fd: int) -> None:
        """Poll this descriptor, which is still open, no longer."""
        try:
            self._epoll.unregister(fd)
        except FileNotFoundError:
            pass  # it was never armed

    def doubt(self, fd: int) -> None:
        """Note that an armed descriptor was closed: if a copy of it is open, that may report an event still."""
        self._in_doubt.add(fd)

    def poll(self, seconds: float | None) -> list[tuple[int, int]]:
        """Wait, without an end if the time is None; return the descriptors at which there is something, and what."""
        found = self._epoll.poll(seconds)
        return [it for it in found if self._is_of_open_file(*it)] if self._in_doubt else found

    def poll_finely(self, seconds: float) -> list[tuple[int, int]]:
        """As `poll`, but rather return up to a millisecond before the time is over than after it.

        For the last millisecond there is a timer, a descriptor among the others. So a limit that is hardly ever reached
        costs nothing more.
        """
        if seconds <= 0 or seconds >= _POLLED_S:
            return self.poll(max(0, seconds - _POLLED_S))  # which it rounds up
        timer = self._make_timer() if self._timer is None else self._timer
        if timer is None:
            return self.poll(seconds)
        os.timerfd_settime(timer, initial=seconds)
        found = self.poll(seconds)
        os.timerfd_settime(timer)  # it is not over any more, and does not wake the next poll
        return [it for it in found if it[0] != timer]

    def _make_timer(self) -> int | None:
        """Return a new timer; None if there are too many descriptors, and the poll has to do without."""
        try:
            self._timer = os.timerfd_create(time.CLOCK_MONOTONIC, flags=os.TFD_CLOEXEC | os.TFD_NONBLOCK)
        except OSError:
            return None
        self.add(self._timer)
        return self._timer

    def wait(self, seconds: float | None) -> list[int]:
        """As `poll`; return only the descriptors."""
        return [fd for fd, _ in self.poll(seconds)]

    def _is_of_open_file(self, fd: int, events: int) -> bool:
        """Return whether an event is of the file that has the number now, and not of a copy of an earlier one."""
        from select import poll

        if fd not in self._in_doubt:
            return True
        poller = poll()
        poller.register(fd, events)
        if poller.poll(0):
            return True
        self._in_doubt.discard(fd)  # the copy has reported its one event
        return False

    def own(self) -> tuple[int, ...]:
        """Return the descriptors that the poller itself has open."""
        return (self._epoll.fileno(),) if self._timer is None else (self._epoll.fileno(), self._timer)

    def close(self) -> None:
        """End it."""
        self._epoll.close()
        if self._timer is not None:
            os.close(self._timer)


def end_of(pid: int) -> int | None:
    """Return a descriptor that can be read once this process has ended: a child, or this process itself.

    It is None where there is none to be had: the kernel is too old, or something else has collected the child.
    """
    try:
        return os.pidfd_open(pid)
    except AttributeError, OSError:
        return None


def own_end() -> tuple[int, ...]:
    """Return descriptors, the first of which can be read once this process has ended. The caller closes them."""
    end = end_of(os.getpid())
    return () if end is None else (end,)


def wait_for_end(fd: int, *ends: int) -> None:
    """Wait until the other side of this socket is closed, which the system does for a process that is dead.

    A process that was forked from that one may keep the other side open: what `end_of` has returned tells all the same.
    """
    from concmodels.platform.polling import POLLIN, poll

    poller = poll()
    poller.register(fd, 0)  # nothing but the end of the other side; macOS does not tell of it, but of the others
    for end in ends:
        poller.register(end, POLLIN)
    poller.poll()


def tie_to_parent() -> None:
    """Have the system kill this process when its parent dies, where it can."""
    import ctypes
    import signal

    ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)


def adopt_orphans() -> None:
    """Make this process the parent of all processes below it whose own parent ends, as a subreaper (`prctl(2)`)."""
    import ctypes

    ctypes.CDLL(None).prctl(_SET_SUBREAPER, 1)


def tied_to_parent() -> Callable[[], bool] | None:
    """Return a function that has the system kill the calling process when its parent dies; None if that can't be had.

    A new process calls it before it starts its program. It returns False if the parent has died before.
    """
    import ctypes
    import signal

    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def tie() -> bool:
        prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
        return os.getppid() == parent

    return tie


if PORTABLE:
    from concmodels.platform.portable.waking import (  # type: ignore[assignment] # the two Pollers are alike
        Poller,
        block,
        close,
        descriptors,
        end_of,
        joined,
        make,
        own_end,
        tie_to_parent,
        tied_to_parent,
        wait,
        wake,
    )
else:
    from _functools import Placeholder, partial  # type: ignore[import-not-found] # each child would import functools
    from os import close, eventfd_read, eventfd_write, read

    # These are no functions of ours, because that would be a frame more for each message that makes a task wait.
    block = eventfd_read
    wait = partial(read, Placeholder, 8)
    wake = partial(eventfd_write, Placeholder, 1)
if WINDOWS:
    from concmodels.platform.portable.windows import (  # type: ignore[assignment] # the functions are alike
        block,
        close,
        close_descriptor,
        descriptors,
        drain,
        duplicate,
        joined,
        make,
        pair,
        wait,
        wake,
    )
