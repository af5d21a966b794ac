"""Waits for sockets on an event loop of asyncio's kind: one epoll, which the loop watches in place of the sockets.

asyncio's own way, `loop.add_reader`, changes the loop's selector twice for every wait. It also remembers descriptors by
their number: if a socket is closed while it is registered, and its number goes to a new transport, asyncio changes the
old entry, the kernel hears nothing of the new socket, and the transport waits for ever. The kernel's own table has no
such memory, for a socket leaves it with its close. So the sockets are registered in an epoll of their own, each for one
event (`EPOLLONESHOT`), as trio does it, and the loop is told of a single descriptor: that of the epoll.

A descriptor is armed in the epoll as long as a task waits for it. Only what was closed behind the task's back can't be
disarmed any more. If a duplicate keeps that socket open (another process may have one), its event comes under a number
that may be another socket's now: such a number is in doubt (`concmodels.platform.waking.Poller`).
"""

from asyncio import _get_running_loop, get_running_loop, sleep
from contextlib import suppress

from concmodels.models.waiting.sockets import (
    EVENTS,
    LOOK_S,
    READABLE,
    WRITABLE,
    SocketWait,
    SocketWaits,
    busy,
)
from concmodels.models.waiting.timeouts import must_be_seconds
from concmodels.models.waiting.waiter import CANCELLED, CLOSED, DONE
from concmodels.platform.waking import Poller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, TimerHandle
    from collections.abc import Callable
    from typing import Any

    from concmodels.models.waiting.sockets import HasFileno
    from concmodels.models.waiting.waiter import Waiter

_ENDING = {READABLE: ~EVENTS[WRITABLE], WRITABLE: ~EVENTS[READABLE]}
"""The events that end a wait: its own, and an error or the end of the other side, which end both kinds."""

_of_loops: dict[AbstractEventLoop, LoopSockets] = {}


class LoopSockets(SocketWaits):
    """The waits for sockets of one event loop. It is in the loop only while somebody waits, or did just before."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        super().__init__()
        self._poller = Poller()
        if not self._poller.own():
            raise NotImplementedError("waits for sockets on asyncio need an epoll, which Linux has: take trio")
        (self._number,) = self._poller.own()
        self._loop = loop
        self._timer: TimerHandle | None = None  # of the next look for closed sockets: there is one while in the loop

    def begin(self, wait: SocketWait) -> None:
        """As `SocketWaits.begin`, and arm the descriptor."""
        place = wait.number, wait.direction
        before: Any = self._waits.get(place)
        if before is not None:
            if before.is_closed():
                self._poller.doubt(wait.number)  # it is armed, and can't be disarmed any more
                before.waiter.finish(CLOSED)
            elif not before.waiter.future.done():  # else it is over, though its task has not gone on yet
                raise busy(wait)
        self._waits[place] = wait
        try:
            self._arm(wait.number)
            if self._timer is None:
                self._enter()
        except BaseException:
            self.end(wait)
            raise

    def end(self, wait: SocketWait) -> None:
        """As `SocketWaits.end`, and disarm the descriptor, unless what has ended the wait has done so."""
        place = wait.number, wait.direction
        if self._waits.get(place) is not wait:
            return
        del self._waits[place]
        if wait.is_closed():
            self._poller.doubt(wait.number)
        else:
            with suppress(OSError):
                self._arm(wait.number)

    def end_waits_for(self, number: int) -> None:
        """As `SocketWaits.end_waits_for`, and disarm the descriptor."""
        for direction in EVENTS:
            wait = self._waits.pop((number, direction), None)
            if wait is not None:
                wait.waiter.finish(CLOSED)
        with suppress(OSError):
            self._poller.disarm(number)

    def _arm(self, number: int) -> None:
        """Have the kernel tell once of the events that are waited for; of none, if there are none."""
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
        for number, events in self._poller.poll(0):
            others = False
            for direction, ending in _ENDING.items():
                wait = self._waits.get((number, direction))
                if wait is None:
                    continue
                if events & ending:
                    del self._waits[number, direction]
                    wait.waiter.finish(CLOSED if wait.is_closed() else DONE)
                else:
                    others = True
            if others:
                with suppress(OSError):  # closed meanwhile: that is found by the next look
                    self._arm(number)

    def _enter(self) -> None:
        """Have the loop watch the epoll, and look for closed sockets now and then."""
        try:
            self._loop.add_reader(self._number, self._on_events)
        except NotImplementedError:
            raise NotImplementedError(
                f"{type(self._loop).__name__} watches no descriptors (`add_reader`): take asyncio's SelectorEventLoop"
            ) from None
        self._timer = self._loop.call_later(LOOK_S, self._look)

    def _look(self) -> None:
        """Look for closed sockets; leave the loop if nobody waits any more."""
        if self._waits:
            self.find_closed()
            self._timer = self._loop.call_later(LOOK_S, self._look)
        else:
            self.rest()

    def rest(self) -> None:
        """Leave the loop until the next wait, if nobody waits: nothing of this must look as if it could wake a task."""
        if self._timer is not None and not self._waits:
            self._timer.cancel()
            self._timer = None
            self._loop.remove_reader(self._number)

    def close(self) -> None:
        """Forget all waits and close the epoll, when the loop is closed."""
        self._waits.clear()
        self._poller.close()


def of_loop(loop: AbstractEventLoop) -> LoopSockets:
    """Return the waits for sockets of this loop."""
    sockets = _of_loops.get(loop)
    if sockets is None:
        close_ended()
        sockets = _of_loops[loop] = LoopSockets(loop)
    return sockets


def rest(loop: AbstractEventLoop) -> None:
    """See `LoopSockets.rest`."""
    sockets = _of_loops.get(loop)
    if sockets is not None:
        sockets.rest()


def close_ended() -> None:
    """Close what belongs to loops that are closed: after a run, its own; of the program's own loops, the former one."""
    for loop in list(_of_loops):
        if loop.is_closed() and (sockets := _of_loops.pop(loop, None)) is not None:
            sockets.close()


async def wait_on_loop(
    new_waiter: Callable[[Any, SocketWait], Waiter], socket: HasFileno, direction: str, timeout: float | None
) -> None:
    """Wait until the socket is ready, with a waiter that awaits a future.

    A cancellation is never put off, as it is where something was handed over: a wait has nothing to lose.
    """
    if timeout is not None:
        timeout = must_be_seconds(timeout)
    wait = SocketWait(socket, direction)
    wait.waiter = waiter = new_waiter(None, wait)
    sockets = of_loop(get_running_loop())
    try:
        sockets.begin(wait)
    except RuntimeError:
        await sleep(0)  # a task that was cancelled is told of that
        raise
    try:
        await waiter.park(timeout)
    finally:
        waiter.claim(CANCELLED)  # unless something else has ended the wait
        sockets.end(wait)
    wait.settle()


def notify_closing_on_loop(socket: HasFileno) -> None:
    """End the waits for a socket in the loop of this thread; where no loop runs, nobody waits."""
    loop = _get_running_loop()
    sockets = SocketWaits() if loop is None else _of_loops.get(loop) or SocketWaits()
    sockets.notify_closing(socket)
