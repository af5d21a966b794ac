"""Waits for sockets on trio, which does them itself: `trio.lowlevel.wait_readable`, `wait_writable`, `notify_closing`.

This adds a look for sockets that were closed without `notify_closing`, which trio does not notice: a system task makes
it while there are waits. So the waits are noted, for each thread apart, because each has a trio loop of its own.
"""

from threading import local

from trio import BusyResourceError, CancelScope, ClosedResourceError, move_on_after, sleep
from trio.lowlevel import (
    checkpoint_if_cancelled,
    in_trio_run,
    notify_closing,
    spawn_system_task,
    wait_readable,
    wait_writable,
)

from concmodels.errors import SocketClosed
from concmodels.models.waiting.sockets.waits import (
    LOOK_S,
    READABLE,
    WRITABLE,
    SocketWait,
    SocketWaits,
    busy,
    descriptor,
)
from concmodels.models.waiting.timeouts import must_be_seconds
from concmodels.models.waiting.waiter import CLOSED, TIMED_OUT, SingleThreadWaiter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concmodels.models.waiting.sockets.waits import HasFileno

_NATIVE = {READABLE: wait_readable, WRITABLE: wait_writable}


class _Waiter(SingleThreadWaiter):
    """Stands for a wait that trio does; only a close claims it from outside."""

    __slots__ = ()

    purpose: SocketWait

    def wake(self) -> None:
        notify_closing(self.purpose.number)


class TrioSockets(SocketWaits):
    """The waits for sockets of the run in one thread. trio itself refuses a second wait for the same direction."""

    looker: CancelScope | None = None

    def begin(self, wait: SocketWait) -> None:
        """Note a wait in the place of any other: either that one is over, or trio will refuse this one."""
        for direction in _NATIVE:
            other = self._waits.get((wait.number, direction))
            if other is not None and other.is_closed():
                other.waiter.finish(CLOSED)  # its number is that of another socket now
        self._waits[wait.number, wait.direction] = wait
        if self.looker is None:
            self.looker = CancelScope()
            spawn_system_task(self._look, self.looker, name="concmodels: closed sockets?")

    def end(self, wait: SocketWait) -> None:
        """As `SocketWaits.end`; one thread needs no lock."""
        place = wait.number, wait.direction
        if self._waits.get(place) is wait:
            del self._waits[place]

    async def _look(self, scope: CancelScope) -> None:
        try:
            with scope:
                while self._waits:
                    await sleep(LOOK_S)
                    self.find_closed()
        finally:
            if self.looker is scope:
                self.looker = None

    def put_back(self, wait: SocketWait) -> None:
        """Note a wait again, because trio has found that it is not over."""
        self._waits[wait.number, wait.direction] = wait

    def rest(self) -> None:
        """End the looks, if no task waits: a deadlock detector would take their timer for a wake-up."""
        if self.looker is not None and not self._waits:
            self.looker.cancel()
            self.looker = None  # now, while the task still ends: the next wait needs another one


class _Here(local):
    def __init__(self) -> None:
        self.sockets = TrioSockets()


_here = _Here()


def rest() -> None:
    """End the looks of this thread if no task waits: see `TrioSockets.rest`."""
    _here.sockets.rest()


async def wait_in_trio(socket: HasFileno, direction: str, timeout: float | None) -> None:
    """Wait until the socket is ready. Raises `TimeoutError`, `RuntimeError` or `SocketClosed`, as the contract says."""
    if timeout is not None:
        timeout = must_be_seconds(timeout)
    wait = SocketWait(socket, direction)
    wait.waiter = waiter = _Waiter(None, wait)
    sockets = _here.sockets
    before = sockets.get(wait.number, direction)
    sockets.begin(wait)
    try:
        if timeout is None:
            await _NATIVE[direction](wait.number)
        else:
            with move_on_after(max(0.0, timeout)) as scope:
                await _NATIVE[direction](wait.number)
            if scope.cancelled_caught:
                waiter.claim(TIMED_OUT)
        if wait.is_closed():
            waiter.claim(CLOSED)
    except ClosedResourceError:
        waiter.claim(CLOSED)
    except BusyResourceError:
        if before is not None:
            sockets.put_back(before)
        await checkpoint_if_cancelled()
        raise busy(wait) from None
    finally:
        sockets.end(wait)
    if waiter.outcome:
        wait.settle()


def notify_closing_in_trio(socket: HasFileno) -> None:
    """End the waits for a socket in the run of this thread; without a run, no task waits."""
    try:
        number = descriptor(socket)
    except SocketClosed:
        return
    if in_trio_run():
        notify_closing(number)
