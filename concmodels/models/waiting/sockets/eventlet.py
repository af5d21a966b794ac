"""Waits for sockets on eventlet's hub: a listener of the hub switches to the task when the socket is ready.

Whatever claims a wait removes its listener at once. If the task did that when it goes on, the number of a closed socket
could by then belong to another one, which another task waits for.

These waits are not noted for the deadlock detector: while a task waits for a socket, there is no deadlock.
"""

from _thread import _local

from eventlet.hubs import get_hub
from greenlet import getcurrent

from concmodels.models.waiting.hub_throws import postponed, raise_postponed, throws_due
from concmodels.models.waiting.sockets.waits import READABLE, SocketWaits, SocketWaitSteps, descriptor, is_ready
from concmodels.models.waiting.timeouts import must_be_seconds
from concmodels.models.waiting.waiter import CANCELLED, CLOSED, DONE, TIMED_OUT, SingleThreadWaiter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.models.waiting.sockets.waits import HasFileno

_here = _local()


class EventletWait(SocketWaitSteps, SingleThreadWaiter):
    """One wait of one task for a socket: the task switches to the hub, until the listener or `wake` switches back."""

    __slots__ = ("_hub", "_listener", "_turn", "direction", "key", "number", "socket", "unit")

    purpose = waiter = property(lambda self: self)  # one object is both: it is made for each wait, in a hot path

    def __init__(self, socket: Any, direction: str) -> None:
        self.outcome = ""
        self.unit = getcurrent()
        self._hub = get_hub()
        self._turn: Any = None
        self._listener: Any = None
        self.socket = socket
        self.number = descriptor(socket)
        self.direction = direction
        self.key = self.number, direction

    def claim(self, outcome: str) -> bool:
        """As `Waiter.claim`; fails also if the hub is about to throw a cancellation into the task."""
        if self.outcome or (throws_due and self.unit in throws_due):
            return False
        self.outcome = outcome
        return True

    def is_over(self) -> bool:
        """As `Waiter.is_over`: after a cancellation, no claim succeeds."""
        return not self.waits() or self.unit in throws_due

    def park(self, timeout: float | None) -> bool:
        """Wait until woken, or until the hub, which polls the socket meanwhile, reports it as ready; return True."""
        if postponed:
            raise_postponed(self.unit)
        hub = self._hub
        kind = hub.READ if self.direction == READABLE else hub.WRITE
        if not self.is_over():  # otherwise another task may wait for this socket by now: the hub allows only one
            self._listener = hub.add(kind, self.number, self._report, _do_nothing, self._close)
        timer = None if timeout is None else hub.schedule_call_global(timeout, self.finish, TIMED_OUT)
        try:
            while self._turn is None and self.outcome != DONE:
                hub.switch()
        finally:
            self.stop_listening()
            if self._turn is not None and not self._turn.called:
                self._turn.cancel()  # an exception came after `wake`: do not switch here later
            if timer is not None:
                timer.cancel()
        return True

    def wake(self) -> None:
        self.stop_listening()
        self._turn = self._hub.schedule_call_global(0, self.unit.switch)

    def _report(self, _number: int) -> None:
        """Called by the hub: the socket is ready, so the task goes on at once."""
        if self.is_closed():
            self.finish(CLOSED)
        elif not sockets_here().is_event_of_closed(self) and self.claim(DONE):
            self.unit.switch()

    def _close(self) -> None:
        """Called when eventlet finds that the number belongs to another file."""
        self.finish(CLOSED)

    def stop_listening(self) -> None:
        """Remove the listener, if there is one."""
        listener, self._listener = self._listener, None
        if listener is not None:
            self._hub.remove(listener)


def _do_nothing(_error: BaseException) -> None:
    """Stand in for the function that throws into the task of a closed listener: closing it has claimed the wait."""


class EventletSockets(SocketWaits):
    """The waits for sockets of one thread, which has a hub of its own.

    The hub polls, and then reports one event after the other. A task that goes on meanwhile may close a socket whose
    event is still to come, and wait for another one that has got its number.
    """

    def __init__(self) -> None:
        super().__init__()
        self._closed: set[int] = set()

    def begin(self, wait: Any) -> None:
        """As `SocketWaits.begin`; also remove the listener of a wait that is over and whose task has not gone on."""
        before = self._waits.setdefault(wait.key, wait)
        if before is not wait:
            super().begin(wait)
            if self._waits.get(wait.key) is wait:
                before.stop_listening()

    def end(self, wait: Any) -> None:
        """As `SocketWaits.end`."""
        key = wait.key
        if self._waits.get(key) is wait:
            del self._waits[key]

    def end_waits_for(self, number: int) -> None:
        """End the waits for a descriptor that is about to be closed."""
        super().end_waits_for(number)
        self._closed.add(number)

    def is_event_of_closed(self, wait: EventletWait) -> bool:
        """Return whether an event that is reported for this wait is that of an earlier socket with this number."""
        return wait.number in self._closed and not is_ready(wait.number, wait.direction)

    def look(self) -> None:
        """Look for closed sockets. A timer calls this, between two polls of the hub."""
        self.find_closed()
        self._closed.clear()


def sockets_here() -> EventletSockets:
    """Return the waits of this thread."""
    try:
        sockets: EventletSockets = _here.sockets
    except AttributeError:
        sockets = _here.sockets = EventletSockets()
    return sockets


def wait_in_hub(socket: HasFileno, direction: str, timeout: float | None) -> None:
    """Wait until the socket is ready, in the hub of this thread."""
    wait = EventletWait(socket, direction)
    if timeout is not None:
        timeout = must_be_seconds(timeout)
    sockets = sockets_here()
    sockets.begin(wait)
    try:
        wait.park(timeout)
    finally:
        wait.outcome = wait.outcome or CANCELLED  # unless something else has ended the wait
        sockets.end(wait)
    if wait.outcome != DONE:
        wait.settle()


def notify_closing_in_hub(socket: HasFileno) -> None:
    """End the waits of this thread's tasks for a socket that is about to be closed."""
    sockets_here().notify_closing(socket)
