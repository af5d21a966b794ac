"""Tasklets: Stackless Python's model, on the greenlet model's scheduler.

unit          one tasklet per task: a greenlet in a ring of those that can go on
scheduler     greenlet's; but who meets a waiting partner hands over to it at once; cooperative
message       by reference, from one tasklet straight to the other
parallel      no: all tasklets of a run share one thread
cancellation  the library's own: where a task waits or hands over, at the latest after 256 operations that do neither

What is special is the rendezvous, `Channel(0)`, the only channel that Stackless has. With bare greenlets the sender
wakes the receiver, which goes on when its turn comes. Here the two meet: the receiver goes on *at once*, in the middle
of the sender's `send`, and the sender's turn comes after everybody else's. So a message can run through a chain of
tasklets without ever waiting for its turn, and the program decides who runs next by whom it talks to. The channel's
`preference` says who goes on when two have met:

    -1    the receiver (as in Stackless, where it is the default too)
     0    whoever came second: nobody switches
     1    the sender

A channel with a buffer connects tasklets that do not meet: those are as in the greenlet model.

`concmodels.stackless` is the same model with Stackless's own API, for programs that were written for it.

Limitations: as for greenlet. A message through a rendezvous costs two switches, the hand-over and later the sender's
own turn, where the greenlet model often gets by with one. A channel with a buffer costs what it costs there.
"""

import math

from greenlet import getcurrent

from concmodels.models import greenlet_
from concmodels.models.deadlocks.report import DEADLOCK_AFTER
from concmodels.models.greenlet_ import now, sleep
from concmodels.models.pools.executor import Pool as _Pool
from concmodels.models.sharing import share
from concmodels.models.tasks.task import Cancelled
from concmodels.models.waiting.channel import claim_first
from concmodels.models.waiting.cooperative import CooperativeUnbounded
from concmodels.models.waiting.select import select_sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable
    from typing import Any, Self

    from concmodels.errors import Selected

__all__ = ["Cancelled", "Channel", "Pool", "TaskGroup", "now", "run", "select", "share", "sleep"]


def run[R](main: Callable[..., R], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` as the main tasklet and return its result; see `concmodels.contract.Model.run`.

    A deadlock is found at once, unless `deadlock_after` is None.
    """
    return greenlet_.run_with(main, args, "tasklets", deadlock_after)


class TaskGroup(greenlet_.TaskGroup):
    """Tasklets that end together."""


class _Waiter(greenlet_._Waiter):
    """Beside being woken, a tasklet can be handed over to."""

    __slots__ = ()

    def hand_over(self) -> None:
        """Go on as the tasklet that waits here; the current one goes to the end of the ring."""
        self._scheduler.ready(getcurrent())
        self._unit.switch()


class Channel(greenlet_.Channel):
    """A channel between tasklets; `Channel(0)` is the one to look at."""

    _new_waiter = _Waiter

    def __new__(cls, capacity: float = 0, name: str | None = None) -> Self:
        kind: type[Channel] = cls
        if cls is Channel:
            kind = _Rendezvous if capacity == 0 else _Unbounded if capacity == math.inf else cls
        return super().__new__(kind)  # type: ignore[return-value]


def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait for the first of several channels; see `concmodels.contract.Model.select`."""
    return select_sync(Channel, cases, timeout, priority)


class Pool(_Pool):
    """Workers that are tasklets; see `concmodels.contract.Pool`."""

    Channel = Channel
    TaskGroup = TaskGroup


class _Unbounded(CooperativeUnbounded, Channel):
    """`Channel(math.inf)`: nobody waits for room."""


class _Rendezvous(Channel):
    """`Channel(0)`: it holds nothing but those who wait, and two who meet exchange the item directly."""

    preference = -1
    """Who goes on at once when two have met: -1 the receiver, 1 the sender, 0 whoever came second."""

    def send(self, item: Any, timeout: float | None = None) -> None:
        """As `SyncChannel.send`; a waiting receiver goes on at once, if it is preferred."""
        if next(self._turns):
            self._visit_scheduler()
        receiver_first = self.preference < 0
        receiver = None if self._closed else self._meet(self._receivers, receiver_first)
        if receiver is None:
            self._stand(item, self._senders, timeout)
            return
        receiver.item = item
        if receiver_first:
            receiver.hand_over()
        else:
            receiver.wake()

    def receive(self, timeout: float | None = None) -> Any:
        """As `SyncChannel.receive`; a waiting sender goes on at once, if it is preferred."""
        if next(self._turns):
            self._visit_scheduler()
        sender_first = self.preference > 0
        sender = self._meet(self._senders, sender_first)
        if sender is None:
            return self._stand(None, self._receivers, timeout)
        if sender_first:
            sender.hand_over()
        else:
            sender.wake()
        return sender.item

    def _meet(self, waiting: deque[Any], handing_over: bool) -> Any:
        """Claim the partner who has waited longest. Who is about to hand over to it can be cancelled, before.

        It must be so: one who sends in turn to two receivers may find one of them there every time, and never wait.
        """
        if waiting and handing_over:
            task = _Waiter.current()
            if task.must_stop():
                task.stop()
        return claim_first(waiting)

    def _stand(self, item: Any, queue: deque[Any], timeout: float | None) -> Any:
        """Wait for a partner; return what it brought."""
        if self._closed:
            self._refuse()
        return super()._stand(item, queue, timeout)

    def _no_waiting(self, queue: deque[Any]) -> TimeoutError:
        return TimeoutError(f"{self!r}: nobody waits at the other end")
