"""Has an event loop hear of descriptors that it does not watch itself.

On Linux a loop of asyncio's watches the epoll in which the descriptors are. Where there is no epoll, a thread polls
them, and calls the loop when there is something; then the loop itself looks what that is. The thread goes on once the
loop has looked, so that a descriptor which stays ready does not keep it busy. It needs nothing of the loop but
`call_soon_threadsafe`: that is there on Windows too, whose usual loop watches no descriptors.
"""

import threading
from collections import deque
from contextlib import suppress

from concmodels.platform import PORTABLE
from concmodels.platform.polling import POLLIN, poll
from concmodels.platform.portable import waking as portable
from concmodels.platform.waking import Poller, close, descriptors, make, wait, wake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def watch(tell: Callable[[], object]) -> Poller | Watcher:
    """Return a poller for an event loop, which watches its `own` descriptor. Where it has none, it calls `tell`."""
    return Watcher(tell) if PORTABLE else Poller()


class Watcher(portable.Poller):
    """A `Poller` with a thread that calls `tell` when there is something to be polled."""

    def __init__(self, tell: Callable[[], object]) -> None:
        super().__init__()
        self._tell = tell
        self._changes: deque[tuple[int, int]] = deque()  # for the thread: a descriptor and its events, 0 for none
        self._waker = make()
        self._is_closed = False
        self._thread = threading.Thread(target=self._watch, name="watcher of sockets", daemon=True)
        self._thread.start()

    def arm(self, fd: int, events: int) -> None:
        """See `concmodels.platform.waking.Poller.arm`."""
        super().arm(fd, events)
        self._changes.append((fd, events))
        wake(self._waker)

    def disarm(self, fd: int) -> None:
        """Poll an armed descriptor no longer. If the thread does so for a while yet, that does no harm."""
        super().disarm(fd)
        self._changes.append((fd, 0))

    def poll(self, seconds: float | None) -> list[tuple[int, int]]:
        """As `Poller.poll`; then the thread goes on."""
        found = super().poll(seconds)
        wake(self._waker)
        return found

    def close(self) -> None:
        """End the thread."""
        self._is_closed = True
        wake(self._waker)
        self._thread.join()
        close(self._waker)

    def _watch(self) -> None:
        woken, poller = descriptors(self._waker)[0], poll()
        poller.register(woken, POLLIN)
        while not self._is_closed:
            while self._changes:
                fd, events = self._changes.popleft()
                with suppress(OSError, KeyError):  # it was closed, and the loop has not heard of that; it was unknown
                    poller.register(fd, events) if events else poller.unregister(fd)
            found = [fd for fd, _ in poller.poll()]
            if woken not in found and not self._is_told():
                return
            wait(self._waker)

    def _is_told(self) -> bool:
        """Tell the loop; return whether it still is open."""
        try:
            self._tell()
        except RuntimeError:
            return False  # it was closed, and nobody waits on it any more
        return True
