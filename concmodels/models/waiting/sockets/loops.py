"""Waits for sockets on an event loop of asyncio's kind: one epoll, which the loop watches in place of the sockets.

asyncio's own way, `loop.add_reader`, changes the loop's selector twice for every wait. It also remembers descriptors by
their number: if a socket is closed while it is registered, and its number goes to a new transport, asyncio changes the
old entry, the kernel hears nothing of the new socket, and the transport waits for ever. The kernel's own table has no
such memory, because closing a socket removes it. So the sockets are registered in an epoll of their own, each for one
event (`EPOLLONESHOT`), as trio does it, and the loop is told of a single descriptor: that of the epoll. Where there is
no epoll, a thread polls them, and calls the loop (`concmodels/platform/watching.py`).

A descriptor is armed in the epoll while a task waits for it. Only a socket that was closed without notice can't be
disarmed any more. If a duplicate keeps that socket open (another process may have one), its event comes under a number
that may be another socket's now: such a number is in doubt (`concmodels.platform.waking.Poller`).
"""

from asyncio import Future, _get_running_loop, get_running_loop, sleep
from contextlib import suppress

from concmodels.models.waiting.postponed import postponed, raise_postponed
from concmodels.models.waiting.sockets.waits import (
    EVENTS,
    LOOK_S,
    OTHER,
    READABLE,
    WRITABLE,
    SocketWaits,
    SocketWaitSteps,
    busy,
    descriptor,
)
from concmodels.models.waiting.timeouts import must_be_seconds
from concmodels.models.waiting.waiter import CANCELLED, CLOSED, DONE, TIMED_OUT, SingleThreadWaiter
from concmodels.platform.watching import watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, TimerHandle
    from typing import Any

    from concmodels.models.waiting.sockets.waits import HasFileno

_ENDING = [(READABLE, ~EVENTS[WRITABLE]), (WRITABLE, ~EVENTS[READABLE])]
"""The events that end a wait: its own, and an error or the end of the other side, which end both kinds."""

_of_loops: dict[AbstractEventLoop, LoopSockets] = {}


class LoopWait(SocketWaitSteps, SingleThreadWaiter):
    """One wait of one task for a socket: the task awaits a future.

    It is not noted for the deadlock detector: while a task waits for a socket, there is no deadlock.
    """

    __slots__ = ("direction", "future", "key", "number", "socket")

    purpose = waiter = property(lambda self: self)  # one object is both: it is made for each wait, in a hot path

    def __init__(self, socket: Any, direction: str, loop: AbstractEventLoop) -> None:
        self.outcome = ""
        self.future: Future[None] = Future(loop=loop)
        self.socket = socket
        self.number = descriptor(socket)
        self.direction = direction
        self.key = self.number, direction

    def claim(self, outcome: str) -> bool:
        """As `Waiter.claim`; fails also if the task has been cancelled, though it has not run yet."""
        if self.outcome or self.future.cancelled():
            return False
        self.outcome = outcome
        return True

    def wake(self) -> None:
        self.future.set_result(None)  # not cancelled yet: a waiter whose future is cancelled can't be claimed


class LoopSockets(SocketWaits):
    """The waits for sockets of one event loop, which watches the epoll only while a task waits, and shortly after."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        super().__init__()
        self._loop = loop
        self._poller = watch(lambda: loop.call_soon_threadsafe(self._on_events))
        self._number = next(iter(self._poller.own()), None)  # None: a thread watches, and calls the loop
        self._timer: TimerHandle | None = None  # of the next look for closed sockets: there is one while in the loop

    def begin(self, wait: LoopWait) -> None:
        """As `SocketWaits.begin`; also arm the descriptor."""
        before: Any = self._waits.setdefault(wait.key, wait)
        if before is not wait:
            if before.is_closed():
                self._poller.doubt(wait.number)  # it is armed, and can't be disarmed any more
                before.finish(CLOSED)
            elif not before.future.done():  # otherwise it is over, though its task has not gone on yet
                raise busy(wait)
            self._waits[wait.key] = wait
        events = EVENTS[wait.direction]
        if (wait.number, OTHER[wait.direction]) in self._waits:
            events = EVENTS[READABLE] | EVENTS[WRITABLE]
        try:
            self._poller.arm(wait.number, events)
            if self._timer is None:
                self._enter()
        except BaseException:
            self.end(wait)
            raise

    def end(self, wait: LoopWait) -> None:
        """As `SocketWaits.end`; also disarm the descriptor, unless what has ended the wait has done so."""
        if self._waits.get(wait.key) is not wait:
            return
        del self._waits[wait.key]
        if wait.is_closed():
            self._poller.doubt(wait.number)
        else:
            with suppress(OSError):
                self._arm_for_others(wait.number)

    def end_waits_for(self, number: int) -> None:
        """As `SocketWaits.end_waits_for`; also disarm the descriptor."""
        for direction in EVENTS:
            wait = self._waits.pop((number, direction), None)
            if wait is not None:
                wait.finish(CLOSED)
        with suppress(OSError):
            self._poller.disarm(number)

    def _arm_for_others(self, number: int) -> None:
        """Have the kernel report, once, the events that tasks still wait for; none, if there are none."""
        events = 0
        for direction, event in EVENTS.items():
            if (number, direction) in self._waits:
                events |= event
        if events:
            self._poller.arm(number, events)
        else:
            self._poller.disarm(number)

    def _on_events(self) -> None:
        """End the waits whose events have come. Called by the loop."""
        waits: dict[tuple[int, str], Any] = self._waits
        for number, events in self._poller.poll(0):
            others = False
            for direction, ending in _ENDING:
                wait = waits.get((number, direction))
                if wait is None:
                    continue
                if events & ending:
                    del waits[wait.key]
                    wait.finish(CLOSED if wait.is_closed() else DONE)
                else:
                    others = True
            if others:
                with suppress(OSError):  # closed meanwhile: that is found by the next look
                    self._arm_for_others(number)

    def _enter(self) -> None:
        """Have the loop watch the epoll, and look for closed sockets now and then."""
        try:
            if self._number is not None:
                self._loop.add_reader(self._number, self._on_events)
        except NotImplementedError:
            raise NotImplementedError(
                f"{type(self._loop).__name__} watches no descriptors (`add_reader`): take asyncio's SelectorEventLoop"
            ) from None
        self._timer = self._loop.call_later(LOOK_S, self._look)

    def _look(self) -> None:
        """Look for closed sockets; leave the loop if no task waits any more."""
        if self._waits:
            self.find_closed()
            self._timer = self._loop.call_later(LOOK_S, self._look)
        else:
            self.rest()

    def rest(self) -> None:
        """Leave the loop until the next wait, if no task waits: a deadlock detector would take this for a wake-up."""
        if self._timer is not None and not self._waits:
            self._timer.cancel()
            self._timer = None
            if self._number is not None:
                self._loop.remove_reader(self._number)

    def close(self) -> None:
        """Forget all waits and close the epoll, when the loop is closed."""
        self._waits.clear()
        self._poller.close()


def rest(loop: AbstractEventLoop) -> None:
    """Leave this loop if no task waits: see `LoopSockets.rest`."""
    sockets = _of_loops.get(loop)
    if sockets is not None:
        sockets.rest()


def close_ended() -> None:
    """Close what belongs to closed loops: that of a run which has ended, and earlier loops of the program's own."""
    for loop in list(_of_loops):
        if loop.is_closed() and (sockets := _of_loops.pop(loop, None)) is not None:
            sockets.close()


async def wait_on_loop(socket: HasFileno, direction: str, timeout: float | None) -> None:
    """Wait until the socket is ready, on the loop that runs.

    A cancellation is never postponed here, as it is where an item was handed over: this wait has nothing to lose.
    """
    if timeout is not None:
        timeout = must_be_seconds(timeout)
    loop = get_running_loop()
    wait = LoopWait(socket, direction, loop)
    sockets = _of_loops.get(loop)
    if sockets is None:
        close_ended()
        sockets = _of_loops[loop] = LoopSockets(loop)
    try:
        sockets.begin(wait)
    except RuntimeError:
        await sleep(0)  # raises a pending cancellation instead
        raise
    timer = None
    try:
        if postponed:
            raise_postponed()
        if timeout is not None:
            timer = loop.call_later(timeout, wait.finish, TIMED_OUT)
        await wait.future
    finally:
        if timer is not None:
            timer.cancel()
        if wait.outcome != DONE:
            wait.claim(CANCELLED)  # unless something else has ended the wait
            sockets.end(wait)
    if wait.outcome != DONE:
        wait.settle()


def notify_closing_on_loop(socket: HasFileno) -> None:
    """End the waits for a socket in the loop of this thread; where no loop runs, no task waits."""
    loop = _get_running_loop()
    sockets = SocketWaits() if loop is None else _of_loops.get(loop) or SocketWaits()
    sockets.notify_closing(socket)
