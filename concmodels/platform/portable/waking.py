"""A waker made of a pipe, and `poll` for `epoll`: what a system without eventfd can do.

To wake is to write a byte, to wait is to read all that are there. The writing end never blocks: when the pipe is full,
the waker is woken already. A waker is the number of the reading end, and 32 bits higher that of the writing end; both
are needed in every process that uses it.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_READER = (1 << 32) - 1
_ALL = 1 << 16  # bytes: no pipe here holds more, unless it is told to


def make() -> int:
    """See `concmodels.platform.waking.make`."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    return joined(reader, writer)


def wake(waker: int) -> None:
    """See the head of `concmodels.platform.waking`."""
    try:
        os.write(waker >> 32, b"\0")
    except BlockingIOError:
        pass  # it was woken so often that the pipe is full


def wait(waker: int) -> None:
    """See the head of `concmodels.platform.waking`."""
    os.read(waker & _READER, _ALL)


block = wait


def close(waker: int) -> None:
    """Close both ends."""
    for fd in descriptors(waker):
        os.close(fd)


def descriptors(waker: int) -> tuple[int, ...]:
    """See `concmodels.platform.waking.descriptors`."""
    return waker & _READER, waker >> 32


def joined(*parts: int) -> int:
    """See `concmodels.platform.waking.joined`."""
    reader, writer = parts
    return writer << 32 | reader


class Poller:
    """See `concmodels.platform.waking.Poller`. It has no descriptor of its own, and passes all of them on each time."""

    def __init__(self) -> None:
        from concmodels.platform.portable.polling import poll

        self._poll: Any = poll()
        self._armed: set[int] = set()

    def add(self, fd: int) -> None:
        """Poll this descriptor too, for whether it can be read."""
        from concmodels.platform.portable.polling import POLLIN

        self._poll.register(fd, POLLIN)

    def remove(self, fd: int) -> None:
        """Stop polling this descriptor."""
        self._poll.unregister(fd)

    def arm(self, fd: int, events: int) -> None:
        """See `concmodels.platform.waking.Poller.arm`."""
        self._poll.register(fd, events)
        self._armed.add(fd)

    def disarm(self, fd: int) -> None:
        """Poll an armed descriptor no longer."""
        if fd in self._armed:
            self._armed.discard(fd)
            self._poll.unregister(fd)

    def doubt(self, fd: int) -> None:
        """Poll a closed descriptor no longer."""
        self.disarm(fd)

    def poll(self, seconds: float | None) -> list[tuple[int, int]]:
        """Wait, without an end if the time is None; return the descriptors at which there is something, and what."""
        found: list[tuple[int, int]] = self._poll.poll(None if seconds is None else seconds * 1000)
        for fd, _ in found:
            self.disarm(fd)
        return found

    def poll_finely(self, seconds: float) -> list[tuple[int, int]]:
        """As `poll`: here the time is rounded up to whole milliseconds."""
        return self.poll(max(0, seconds))

    def wait(self, seconds: float | None) -> list[int]:
        """As `poll`; return only the descriptors."""
        return [fd for fd, _ in self.poll(seconds)]

    def own(self) -> tuple[int, ...]:
        """Return the descriptors that the poller itself has open: none."""
        return ()

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def end_of(pid: int) -> int | None:
    """Return None: POSIX has no descriptor of a process.

    What a process holds open has to tell of its end, and does so only when no process that was forked from the program
    meanwhile, without starting another program, has a copy.
    """


def own_end() -> tuple[int, ...]:
    """See the head of `concmodels.platform.waking`: a pipe into which nothing is written, and its writing end."""
    return os.pipe()


def adopt_orphans() -> None:
    """Do nothing: a process whose parent has ended belongs to the system's first one."""


def tie_to_parent() -> None:
    """Do nothing: there is no such thing in POSIX."""


def tied_to_parent() -> Callable[[], bool] | None:
    """Return None: there is no such thing in POSIX."""
    return None
