"""Waits for sockets on gevent's hub: a watcher of the hub's loop switches to the task when the socket is ready.

Whatever claims a wait stops its watcher at once, rather than leaving that to the task: if the socket is closed in the
turn in which a watcher was started, libev ends the whole process with a failed assertion.

These waits are not noted for the deadlock detector: while a task waits for a socket, there is no deadlock.
"""

import time
from _thread import _local
from socket import socket as StandardSocket
from weakref import ref

from gevent import get_hub
from greenlet import getcurrent

from concmodels.models.waiting.hub_throws import postponed, raise_postponed, throws_due
from concmodels.models.waiting.sockets.waits import LOOK_S, READABLE, WRITABLE, SocketWaits, SocketWaitSteps, descriptor
from concmodels.models.waiting.timeouts import must_be_seconds
from concmodels.models.waiting.waiter import CANCELLED, CLOSED, DONE, TIMED_OUT, SingleThreadWaiter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from concmodels.models.waiting.sockets.waits import HasFileno

_EVENTS = {READABLE: 1, WRITABLE: 2}  # libev's EV_READ and EV_WRITE
_NOTHING_KEPT: tuple[Any, Any] = (lambda: None, None)
_here = _local()


def start_timer(hub: Any, seconds: float, function: Callable[..., object], *args: Any) -> Any:
    """Have the hub call a function in so many seconds; return the timer, whose `close` cancels that."""
    hub.loop.update_now()  # otherwise the seconds count from when the loop last woke up
    timer = hub.loop.timer(float(seconds))
    timer.start(function, *args)
    return timer


class GeventWait(SocketWaitSteps, SingleThreadWaiter):
    """One wait of one task for a socket: the task switches to the hub, until the watcher or `wake` switches back."""

    __slots__ = ("_callback", "_hub", "direction", "key", "number", "socket", "unit", "watcher")

    purpose = waiter = property(lambda self: self)  # one object is both: it is made for each wait, in a hot path

    def __init__(self, socket: Any, direction: str) -> None:
        self.outcome = ""
        self.unit = getcurrent()
        self._hub = get_hub()
        self._callback: Any = None
        self.socket = socket
        self.number = descriptor(socket)
        self.direction = direction
        self.key = self.number, direction
        self.watcher: Any = None

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
        """Wait until woken, or until the watcher switches here: then the task claims the wait itself. Returns True."""
        if postponed:
            raise_postponed(self.unit)
        self.watcher.start(self.unit.switch, self)
        timer = None if timeout is None else start_timer(self._hub, timeout, self.finish, TIMED_OUT)
        try:
            while self._callback is None:
                if self._hub.switch() is self and self.claim(CLOSED if self.is_closed() else DONE):
                    break
        finally:
            self.watcher.stop()
            if self._callback is not None:
                self._callback.stop()  # an exception came after `wake`: do not switch here later
            if timer is not None:
                timer.close()
        return True

    def wake(self) -> None:
        self.watcher.stop()
        self._callback = self._hub.loop.run_callback(self.unit.switch)


class GeventSockets(SocketWaits):
    """The waits for sockets of one thread, which has a hub of its own, and the watchers of the hub's loop.

    A watcher is kept for the next wait for the same socket: for a new one, the loop makes a system call. It is dropped
    when the socket was closed or its number belongs to another one, and at the end of the run.
    """

    def __init__(self) -> None:
        super().__init__()
        self.runs = 0
        self._kept: dict[tuple[int, str], tuple[ref[StandardSocket], Any]] = {}
        self._look_at = 0.0

    def begin(self, wait: Any) -> None:
        """As `SocketWaits.begin`; also give the wait a watcher."""
        key = wait.key
        before = self._waits.setdefault(key, wait)
        if before is not wait:
            super().begin(wait)
            if self._waits.get(key) is not wait:  # its task was cancelled, and another one waits
                wait.watcher = self._watcher(wait)
                return
            before.watcher.stop()
        socket, watcher = self._kept.get(key, _NOTHING_KEPT)
        # A wait that is over has its watcher until its task goes on, and stops it then: so this is another one.
        wait.watcher = watcher if before is wait and socket() is wait.socket else self._new_watcher(wait)

    def end(self, wait: Any) -> None:
        """Forget a wait that is over, and its watcher if that is not kept."""
        key = wait.key
        if self._waits.get(key) is wait:
            del self._waits[key]
        if self._kept.get(key, _NOTHING_KEPT)[1] is not wait.watcher:
            wait.watcher.close()

    @staticmethod
    def _watcher(wait: Any) -> Any:
        return get_hub().loop.io(wait.number, _EVENTS[wait.direction])

    def _new_watcher(self, wait: Any) -> Any:
        watcher = self._watcher(wait)
        self._drop(wait.key)
        if self.runs and isinstance(wait.socket, StandardSocket):  # of anything else, the descriptor may change
            self._kept[wait.key] = ref(wait.socket), watcher
        return watcher

    def _drop(self, key: tuple[int, str]) -> None:
        """Keep the watcher of this descriptor no longer; a wait that still uses it closes it when it ends."""
        _, watcher = self._kept.pop(key, _NOTHING_KEPT)
        if watcher is not None and not watcher.active:
            watcher.close()

    def end_waits_for(self, number: int) -> None:
        """End the waits for a descriptor that is about to be closed; stop the watchers of those that are over, too."""
        super().end_waits_for(number)
        for direction in _EVENTS:
            wait = self._waits.get((number, direction))
            if wait is not None:
                wait.watcher.stop()
            self._drop((number, direction))

    def look(self) -> None:
        """Look for closed sockets, if that is due."""
        if time.monotonic() >= self._look_at:
            self._look_at = time.monotonic() + LOOK_S
            self.find_closed()
            for key, (socket, _) in list(self._kept.items()):
                if (open_socket := socket()) is None or open_socket.fileno() != key[0]:
                    self._drop(key)

    def run_ended(self) -> None:
        """Note the end of a run; the last one in this thread keeps no watchers."""
        self.runs -= 1
        if not self.runs:
            for key in list(self._kept):
                self._drop(key)


def sockets_here() -> GeventSockets:
    """Return the waits of this thread."""
    try:
        sockets: GeventSockets = _here.sockets
    except AttributeError:
        sockets = _here.sockets = GeventSockets()
    return sockets


def wait_in_hub(socket: HasFileno, direction: str, timeout: float | None) -> None:
    """Wait until the socket is ready, in the hub of this thread."""
    wait = GeventWait(socket, direction)
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
