"""Waits for sockets: which task waits for which direction of which socket, and how that wait ends.

A wait for a socket is a `Waiter` like any other, which is claimed once: by what polls the descriptors (DONE), by a
close, a timeout or a cancellation. What polls them depends on the model: a `poll`, an event loop, a hub.

A wait takes nothing. It says that the socket is ready, and the task then reads, writes or accepts by itself. So a wait
that is cancelled when the socket has become ready has lost nothing: the next wait returns at once.
"""

from _thread import allocate_lock

from concmodels.errors import SocketClosed
from concmodels.models.waiting.waiter import CLOSED, TIMED_OUT
from concmodels.platform.polling import POLLIN, POLLOUT, poll

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from concmodels.models.waiting.waiter import Waiter

    class HasFileno(Protocol):
        """A socket, or something else with a descriptor that the system can poll: a pipe, a terminal."""

        def fileno(self) -> int: ...


READABLE, WRITABLE = "readable", "writable"
"""The two directions of a socket."""

OTHER = {READABLE: WRITABLE, WRITABLE: READABLE}

EVENTS = {READABLE: POLLIN, WRITABLE: POLLOUT}
"""What to poll for. An error and the end of the other side (`POLLERR`, `POLLHUP`) end a wait in both directions."""

LOOK_S = 1.0
"""The seconds between two looks for sockets that were closed without `notify_closing`, which wakes no task."""

_LOOKS_PER_S = 1000  # of all tasks together


def descriptor(socket: Any) -> int:
    """Return the number of the socket's descriptor. Raises `TypeError` if it has none, and `SocketClosed`."""
    try:
        number: int = socket.fileno()
    except AttributeError:
        raise TypeError(f"wait for a socket, or for something else with a `fileno()`, not for {socket!r}") from None
    except ValueError:
        number = -1  # what a closed file says
    if number < 0:
        raise SocketClosed(f"{socket!r} is closed")
    return number


def is_ready(number: int, direction: str) -> bool:
    """Return whether a wait for this descriptor would return at once."""
    poller = poll()
    poller.register(number, EVENTS[direction])
    return bool(poller.poll(0))


class SocketWaitSteps:
    """The steps of a wait for a socket, none of which waits: for a `SocketWait`, or for a waiter that is one itself."""

    __slots__ = ()

    socket: Any
    number: int
    direction: str
    waiter: Waiter

    def describe_wait(self, _waiter: Waiter) -> str:
        """Say what the task waits for."""
        return f"waits until {self.socket!r} is {self.direction}"

    def is_closed(self) -> bool:
        """Return whether the socket was closed since the wait began; its number may belong to another file now."""
        try:
            return bool(self.socket.fileno() != self.number)
        except ValueError:
            return True

    def closed(self) -> SocketClosed:
        """Return the exception of a wait whose socket was closed."""
        return SocketClosed(f"{self.socket!r} was closed while a task waited until it is {self.direction}")

    def settle(self) -> None:
        """Turn the outcome of the wait into a return or an exception."""
        if self.waiter.outcome == CLOSED or (self.waiter.outcome == TIMED_OUT and self.is_closed()):
            raise self.closed()
        # A timeout limits only the waiting: a socket that is ready was ready in time, whatever the clock says.
        if self.waiter.outcome == TIMED_OUT and not is_ready(self.number, self.direction):
            raise TimeoutError(f"{self.socket!r} is not {self.direction}")


class SocketWait(SocketWaitSteps):
    """The wait of one task for one direction of a socket; a `Deadlock` describes it as the purpose of the waiter."""

    __slots__ = ("direction", "number", "socket", "waiter")

    def __init__(self, socket: Any, direction: str) -> None:
        self.socket = socket
        self.number = descriptor(socket)
        self.direction = direction


def busy(wait: Any) -> RuntimeError:
    """Return the error of a task that waits for what another task waits for already."""
    return RuntimeError(f"another task waits until {wait.socket!r} is {wait.direction}: let one task do that for both")


class SocketWaits:
    """All waits for sockets of one model in this interpreter, by the number of the descriptor and the direction."""

    def __init__(self) -> None:
        self._waits: dict[tuple[int, str], Any] = {}
        self._lock = allocate_lock()  # held to replace or remove a wait; nothing waits while it is held

    def __len__(self) -> int:
        return len(self._waits)

    def begin(self, wait: Any) -> None:
        """Note a wait. Raises `RuntimeError` if another task waits for the same direction of the same socket.

        A wait that is over may still be noted, until its task goes on: it is replaced. And a task that was cancelled
        is not refused: its wait is not noted, and ends as soon as it begins.
        """
        self.note(wait)
        if wait.is_closed():  # by another thread, whose `notify_closing` did not find the wait
            self.end(wait)
            raise wait.closed()

    def note(self, wait: Any) -> None:
        """Do as `begin`, but don't check whether the socket was closed meanwhile."""
        key = wait.number, wait.direction
        with self._lock:
            other = self._waits.get(key)
            closed = other is not None and other.is_closed()
            if other is not None and not closed and not other.waiter.is_over():
                if wait.waiter.is_over():
                    return
                if wait.is_closed():  # by another thread just now: then the other task waits for a new socket
                    raise wait.closed()
                raise busy(wait)
            self._waits[key] = wait
        if closed:
            self.end_closed(other)  # its number is that of another socket now

    def end(self, wait: Any) -> None:
        """Forget a wait that is over."""
        key = wait.number, wait.direction
        with self._lock:
            if self._waits.get(key) is wait:
                del self._waits[key]

    def get(self, number: int, direction: str) -> Any:
        """Return the wait for this descriptor, if there is one."""
        return self._waits.get((number, direction))

    def notify_closing(self, socket: Any) -> None:
        """End the waits for a socket that is about to be closed. If it is closed already, do nothing."""
        try:
            number = descriptor(socket)
        except SocketClosed:
            return
        self.end_waits_for(number)

    def end_waits_for(self, number: int) -> None:
        """End the waits for a descriptor that is about to be closed."""
        for direction in EVENTS:
            wait = self._waits.get((number, direction))
            if wait is not None:
                wait.waiter.finish(CLOSED)

    def find_closed(self) -> None:
        """End the waits for sockets that were closed without `notify_closing`."""
        for wait in list(self._waits.values()):
            if wait.is_closed():
                self.end_closed(wait)

    def end_closed(self, wait: Any) -> None:
        """End a wait for a socket that was closed without `notify_closing`."""
        wait.waiter.finish(CLOSED)

    def look_s(self) -> float:
        """Return the seconds between two looks of a task that looks for itself: more if many tasks do."""
        count = len(self._waits)
        return LOOK_S if count <= _LOOKS_PER_S else count / _LOOKS_PER_S
