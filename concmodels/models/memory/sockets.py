"""How a task of a process or an interpreter waits for a socket: as a thread does, it polls.

Beside the socket it polls the waker by which it is always woken, so that cancellations and signals end the wait.
"""

from concmodels.models.memory.arena import deadline
from concmodels.models.memory.participant import current, now
from concmodels.models.waiting.sockets.waits import EVENTS, LOOK_S, SocketWait, SocketWaits
from concmodels.models.waiting.waiter import CANCELLED, CLOSED, DONE, TIMED_OUT, Waiter
from concmodels.platform import waking
from concmodels.platform.polling import POLLIN, poll

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concmodels.models.memory.participant import Participant, WaitSlot
    from concmodels.models.waiting.sockets.waits import HasFileno

_waits = SocketWaits()
notify_closing = _waits.notify_closing


class _Waiter(Waiter):
    """One wait for a socket. What claims it wakes the task by its waker, as everything else does."""

    __slots__ = ("waker",)

    def __init__(self, waker: int, purpose: SocketWait) -> None:
        super().__init__(None, purpose)
        self.waker = waker

    def wake(self) -> None:
        waking.wake(self.waker)


def wait_for_socket(kind: str, socket: HasFileno, direction: str, timeout: float | None) -> None:
    """Wait until the socket is ready; see `concmodels.contract.Model.wait_readable`."""
    until = deadline(timeout)
    participant = current(kind)
    slot = participant.checkpoint()
    wait = SocketWait(socket, direction)
    wait.waiter = _Waiter(slot.waker, wait)
    _waits.begin(wait)
    try:
        _poll(participant, slot, wait, until)
    finally:
        wait.waiter.claim(CANCELLED)  # unless something else has ended the wait
        _waits.end(wait)
    wait.settle()


def _poll(participant: Participant, slot: WaitSlot, wait: SocketWait, until: float | None) -> None:
    """Poll until the wait is claimed; this claims it for the socket and for the timeout."""
    waker = waking.descriptors(slot.waker)[0]
    poller = poll()
    poller.register(wait.number, EVENTS[wait.direction])
    poller.register(waker, POLLIN)
    while wait.waiter.waits():
        rest = LOOK_S if until is None else min(max(0.0, until - now()), LOOK_S)
        ready = [number for number, _ in poller.poll(rest * 1000)]
        if waker in ready:
            participant.forget_wakeup(slot)
            participant.checkpoint(slot)
        if wait.is_closed():
            wait.waiter.claim(CLOSED)
        elif wait.number in ready:
            wait.waiter.claim(DONE)
        elif until is not None and now() >= until:
            wait.waiter.claim(TIMED_OUT)
