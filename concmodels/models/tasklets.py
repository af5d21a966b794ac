"""Tasklets: Stackless Python's model, on the greenlet model's scheduler.

unit          one tasklet per task: a greenlet in a ring of those that can go on
scheduler     greenlet's; but a tasklet that meets a waiting partner hands over to it at once; cooperative
message       by reference, from one tasklet straight to the other
parallel      no: all tasklets of a run share one thread
cancellation  the library's own: where a task waits or hands over, at the latest after 256 operations that do neither
sockets       an event loop on epoll (`waiting/sockets/event_loop.py`), made when a task first waits for one

What is special is the rendezvous, `Channel(0)`, the only channel that Stackless has. With bare greenlets the sender
wakes the receiver, which goes on when its turn comes. Here the two meet: the receiver goes on *at once*, in the middle
of the sender's `send`, and the sender's turn comes after all others. So a message can run through a chain of tasklets
without ever waiting for its turn, and the program decides which task runs next by choosing which task it talks to. The
channel's `preference` says which of the two goes on when they have met:

    -1    the receiver (as in Stackless, where it is the default too)
     0    the one that came second: there is no switch
     1    the sender

A channel with a buffer connects tasklets that do not meet: it works as in the greenlet model.

`concmodels.stackless` is the same model with Stackless's own API, for programs that were written for it.

Limitations: as for greenlet. A message through a rendezvous costs two switches, the hand-over and later the sender's
own turn, where the greenlet model often gets by with one. A channel with a buffer costs what it costs there.
"""

import math

from greenlet import getcurrent

from concmodels.models import greenlet_
from concmodels.models.greenlet_ import Waiter, notify_closing, now, scheduler, sleep, wait_readable, wait_writable
from concmodels.models.waiting.select import select_sync
from concmodels.models.waiting.waiter import claim_first

# isort: split
# Beside the core: signals, deadlocks, sockets, pools.
from concmodels.models.deadlocks.report import DEADLOCK_AFTER
from concmodels.models.pools.executor import Pool as _Pool
from concmodels.models.sharing import share
from concmodels.models.tasks.runs import run_of
from concmodels.models.tasks.task import Cancelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable
    from typing import Any, Self

    from concmodels.errors import Selected

__all__ = [
    "Cancelled", "Channel", "Pool", "TaskGroup", "notify_closing", "now", "run", "select", "share", "sleep",
    "wait_readable", "wait_writable",
]  # fmt: skip


class Channel(greenlet_.Channel):
    """A channel between tasklets: with a buffer, greenlet's, verb for verb; `Channel(0)` is a `_Rendezvous`."""

    def __new__(cls, capacity: float = 0, name: str | None = None) -> Self:
        kind: type[Channel] = cls
        if cls is Channel:
            kind = _Rendezvous if capacity == 0 else _Unbounded if capacity == math.inf else cls
        return super().__new__(kind)  # type: ignore[return-value]


class _Unbounded(greenlet_._Unbounded, Channel):
    """`Channel(math.inf)`, as greenlet's."""


class _Rendezvous(Channel):
    """`Channel(0)`: it holds nothing but waiting tasks, and two that meet exchange the item directly."""

    preference = -1
    """The task that goes on at once when two have met: -1 the receiver, 1 the sender, 0 the one that came second."""

    def send(self, item: Any, timeout: float | None = None) -> None:
        """As `Channel.send`; a waiting receiver goes on at once, if it is preferred."""
        if next(self._yields):
            self._checkpoint()
        receiver_first = self.preference < 0
        receiver = None if self._closed else self._meet(self._receivers, receiver_first)
        if receiver is None:
            self._wait_for_partner(item, self._senders, timeout)
            return
        receiver.item = item
        if receiver_first:
            _hand_over(receiver)
        else:
            receiver.wake()

    def receive(self, timeout: float | None = None) -> Any:
        """As `Channel.receive`; a waiting sender goes on at once, if it is preferred."""
        if next(self._yields):
            self._checkpoint()
        sender_first = self.preference > 0
        sender = self._meet(self._senders, sender_first)
        if sender is None:
            return self._wait_for_partner(None, self._receivers, timeout)
        if sender_first:
            _hand_over(sender)
        else:
            sender.wake()
        return sender.item

    def _meet(self, waiting: deque[Any], handing_over: bool) -> Any:
        """Claim the partner that has waited longest. Before a hand-over, raise a pending cancellation.

        Otherwise a tasklet that sends to two receivers in turn, and finds one of them waiting every time, could never
        be cancelled: it never waits itself.
        """
        if waiting and handing_over:
            task = Waiter.current()
            if task.must_stop():
                task.stop()
        return claim_first(waiting)

    def _wait_for_partner(self, item: Any, queue: deque[Any], timeout: float | None) -> Any:
        """As `Channel._wait_for_partner`, but refuse at once if the channel is closed."""
        if self._closed:
            self._refuse(queue is self._senders)
        return super()._wait_for_partner(item, queue, timeout)


def _hand_over(partner: Any) -> None:
    """Go on as the tasklet that waits here; the current one goes to the end of the ring."""
    scheduler().ready(getcurrent())
    partner.unit.switch()  # it is not in the queue of the ready: its wait was claimed, and `wake` is not called


def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait in the queues of several channels, with one waiter; see `concmodels.contract.Model.select`."""
    return select_sync(Channel, cases, timeout, priority)


class TaskGroup(greenlet_.TaskGroup):
    """Tasklets that end together."""


class Pool(_Pool):
    """Workers that are tasklets; see `concmodels.contract.Pool`."""

    Channel = Channel
    TaskGroup = TaskGroup


@run_of("tasklets")
def run[R](main: Callable[..., R], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` as the main tasklet and return its result; see `concmodels.contract.Model.run`.

    A deadlock is found at once, unless `deadlock_after` is None.
    """
    return greenlet_.run_with(main, args, "tasklets", deadlock_after)
