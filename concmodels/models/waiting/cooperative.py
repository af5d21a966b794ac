"""Channels of the models whose tasks share one thread: between two waits nobody interferes.

So nothing here takes a lock, and what is tried first is short: model in the buffer, or an item in it, and nobody to
care for. `awaited.py` has the same verbs awaited. What is left to do is fairness: after 256 operations in a row the
others have their turn.
"""

import math

from concmodels.errors import ChannelClosed
from concmodels.models.waiting.channel import DONE, NOTHING, ChannelState, SyncChannel, Waiter, expired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterator
    from typing import Any


class LoneWaiter(Waiter):
    """A wait that only this thread can claim: a look and a note, and no need for one atomic step.

    A signal handler may claim it too; CPython runs those after calls and at jumps back only, and here is none.
    """

    __slots__ = ()

    def __init__(self, item: Any = None) -> None:
        self.item = item
        self.outcome = ""

    def claim(self, outcome: str) -> bool:
        """As `Waiter.claim`."""
        if self.outcome:
            return False
        self.outcome = outcome
        return True

    def waits(self) -> bool:
        """As `Waiter.waits`."""
        return not self.outcome


class CooperativeState(ChannelState):
    """`_room`: so many items may lie here as long as that is all there is to say; 0 while receivers wait, or closed."""

    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        super().__init__(capacity, name)
        self._turns = self._turns  # the model's one count; found quicker in the instance than in the class
        self._room = capacity

    def _offer(self, item: Any) -> bool:
        accepted = super()._offer(item)
        if not self._receivers:
            self._room = self._capacity
        return accepted

    def _queue(self, waiter: Waiter, queue: deque[Waiter]) -> None:
        queue.append(waiter)
        if queue is self._receivers:
            self._room = 0

    def close(self) -> None:
        """As `ChannelState.close`."""
        self._room = 0
        super().close()

    def _no_waiting(self, queue: deque[Waiter]) -> TimeoutError:
        """What to say to who does not want to wait."""
        return TimeoutError(f"{self!r} {'is empty' if queue is self._receivers else 'has no room'}")


class UnboundedState(CooperativeState):
    """`_put` is the buffer's own append, or `_offer` while there is more to do: receivers wait, or it is closed."""

    def __init__(self, capacity: float = math.inf, name: str | None = None) -> None:
        super().__init__(capacity, name)
        self._put: Callable[[Any], object] = self._buffer.append

    def _offer(self, item: Any) -> bool:
        if self._closed:
            self._refuse()
        receivers = self._receivers
        while receivers:
            receiver = receivers.popleft()
            if receiver.claim(DONE):
                if not receivers:
                    self._put = self._buffer.append
                receiver.item = item
                receiver.wake()
                return True
        self._put = self._buffer.append
        self._buffer.append(item)
        return True

    def _queue(self, waiter: Waiter, queue: deque[Waiter]) -> None:
        queue.append(waiter)
        self._put = self._offer

    def close(self) -> None:
        """As `ChannelState.close`."""
        self._put = self._offer
        super().close()


class CooperativeChannel(CooperativeState, SyncChannel):
    """The verbs in plain code (greenlet, tasklets, gevent, eventlet)."""

    def send(self, item: Any, timeout: float | None = None) -> None:
        """As `SyncChannel.send`."""
        if next(self._turns):
            self._visit_scheduler()
        buffer = self._buffer
        if len(buffer) < self._room:
            buffer.append(item)
        elif not self._offer(item):
            self._stand(item, self._senders, timeout)

    def receive(self, timeout: float | None = None) -> Any:
        """As `SyncChannel.receive`."""
        if next(self._turns):
            self._visit_scheduler()
        item = self._take()
        return self._stand(None, self._receivers, timeout) if item is NOTHING else item

    def __iter__(self) -> Iterator[Any]:
        """Receive until the channel is closed and drained."""
        buffer, senders, popleft = self._buffer, self._senders, self._buffer.popleft
        while True:
            try:
                for others_turn in self._turns:
                    if others_turn:
                        self._visit_scheduler()
                    if senders:
                        break  # `receive` lets the first of them go on
                    yield popleft()
            except IndexError:
                pass  # empty for now: wait below
            while senders or not buffer:  # in a loop of its own: an IndexError for each wait would be dear
                try:
                    item = self.receive()
                except ChannelClosed:
                    return
                yield item
                del item  # nobody is to hold it while the next one is waited for

    def _stand(self, item: Any, queue: deque[Waiter], timeout: float | None) -> Any:
        """Wait for a partner; return what it brought."""
        if timeout is not None and expired(timeout):
            raise self._no_waiting(queue)
        waiter = self._new_waiter(item)
        self._queue(waiter, queue)
        try:
            waiter.park(timeout)  # it comes back claimed: by a partner, a close, the timeout
        except BaseException as error:
            if self._withdraw(waiter, queue):
                raise
            waiter.put_off(error)
        if waiter.outcome != DONE:
            self._settle(waiter, queue)
        return waiter.item


class CooperativeUnbounded(UnboundedState, CooperativeChannel):
    """In plain code; nobody waits for room."""

    def send(self, item: Any, timeout: float | None = None) -> None:
        """Send; there is always model. Raises `ChannelClosed`."""
        if next(self._turns):
            self._visit_scheduler()
        self._put(item)

    def __iter__(self) -> Iterator[Any]:
        """Receive until the channel is closed and drained."""
        buffer, popleft = self._buffer, self._buffer.popleft
        while True:
            try:
                for others_turn in self._turns:
                    if others_turn:
                        self._visit_scheduler()
                    yield popleft()
            except IndexError:
                pass  # empty for now: wait below
            while not buffer:
                try:
                    item = self._refuse() if self._closed else self._stand(None, self._receivers, None)
                except ChannelClosed:
                    return
                yield item
                del item  # see above


WAITS = (CooperativeChannel._stand.__code__,)
"""Where a task waits here: frames with a `waiter` and a `timeout`, as those of `wait`."""
