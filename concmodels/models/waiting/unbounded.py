"""The channel without a bound where all tasks share one thread: `Channel(math.inf)`, which is only faster.

It does what a channel of any capacity does, and could be left out. No sender ever waits here, so `send` is one append:
that of the buffer itself, while no receiver waits and the channel is open. And the steps of a receiver that finds the
buffer empty are written out, because every message to a task that waits takes them.

So a hop by `receive` and `send` takes 0.82 of the time in greenlet if the buffer has items, and in trio 0.94 if a task
is woken for each (CPU time, medians, measured in turn with `receive` as any channel has it).
"""

from concmodels.errors import ChannelClosed
from concmodels.models.waiting.channel import SingleThreadChannel
from concmodels.models.waiting.waiter import DONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterator
    from typing import Any

    from concmodels.models.waiting.waiter import Waiter


class UnboundedChannel(SingleThreadChannel):
    """The steps. The fast path of `send` is `_put`: the buffer's own `append`, or `_offer` while it is shut."""

    def __init__(self, capacity: float, name: str | None = None) -> None:
        super().__init__(capacity, name)
        self._put: Callable[[Any], object] = self._buffer.append

    def _offer(self, item: Any) -> bool:
        """As `SingleThreadChannel._offer`; there is always room."""
        if self._closed:
            self._refuse(True)
        receivers = self._receivers
        while receivers:
            receiver = receivers.popleft()
            if receiver.finish(DONE):
                receiver.item = item
                if not receivers:
                    self._put = self._buffer.append
                return True
        self._put = self._buffer.append
        self._buffer.append(item)
        return True

    def _queue(self, waiter: Waiter, queue: deque[Waiter]) -> None:
        """As `SingleThreadChannel._queue`; only receivers wait here."""
        queue.append(waiter)
        self._put = self._offer

    def close(self) -> None:
        """As `ChannelState.close`."""
        self._put = self._offer
        super().close()


class UnboundedGreenlets(UnboundedChannel):
    """The verbs, for the models whose tasks are greenlets."""

    _wait_for_partner: Callable[..., Any]

    def send(self, item: Any, timeout: float | None = None) -> None:
        """Send; there is always room. Raises `ChannelClosed`."""
        if next(self._yields):
            self._checkpoint()
        self._put(item)

    def receive(self, timeout: float | None = None) -> Any:
        """As `Channel.receive`, with no senders to look for."""
        if next(self._yields):
            self._checkpoint()
        buffer = self._buffer
        if buffer:
            return buffer.popleft()
        if self._closed:
            self._refuse()
        if timeout is not None:
            return self._wait_for_partner(None, self._receivers, timeout)
        return self._wait_for_item()

    def __iter__(self) -> Iterator[Any]:
        """As `Channel.__iter__`, with no senders to look for."""
        buffer, popleft = self._buffer, self._buffer.popleft
        while True:
            try:
                for others_turn in self._yields:
                    if others_turn:
                        self._checkpoint()
                    yield popleft()
            except IndexError:
                pass  # empty for now: wait below
            while not buffer:
                if self._closed:
                    return
                try:
                    item = self._wait_for_item()
                except ChannelClosed:
                    return
                yield item
                del item  # see `Channel.__iter__`

    def _wait_for_item(self) -> Any:
        """Wait as `Channel._wait_for_partner` does, as a receiver without a timeout."""
        waiter = self._new_waiter(None, self)
        self._receivers.append(waiter)
        self._put = self._offer
        try:
            waiter.park(None)
        except BaseException as error:
            if self._withdraw(waiter, self._receivers):
                raise
            waiter.postpone(error)
        self._yields.__setstate__(0)
        if waiter.outcome != DONE:
            self._settle(waiter, self._receivers)
        return waiter.item


class UnboundedCoroutines(UnboundedChannel):
    """The verbs, for the models whose tasks are coroutines. The wait is in them: a message takes one coroutine less."""

    _wait_for_partner: Callable[..., Any]

    async def send(self, item: Any, timeout: float | None = None) -> None:
        """Send; there is always room. Raises `ChannelClosed`."""
        if next(self._yields):
            await self._checkpoint()
        self._put(item)

    async def receive(self, timeout: float | None = None) -> Any:
        """As `Channel.receive`, with no senders to look for."""
        buffer = self._buffer
        if buffer:  # otherwise the wait below is the checkpoint
            if next(self._yields):
                await self._checkpoint()
            if buffer:
                return buffer.popleft()
        if self._closed:
            self._refuse()
        if timeout is not None:
            return await self._wait_for_partner(None, self._receivers, timeout)
        waiter = self._new_waiter(None, self)
        self._receivers.append(waiter)
        self._put = self._offer
        try:
            await waiter.park(None)
        except BaseException as error:
            if self._withdraw(waiter, self._receivers):
                raise
            waiter.postpone(error)
        self._yields.__setstate__(0)
        if waiter.outcome != DONE:
            self._settle(waiter, self._receivers)
        return waiter.item

    async def __anext__(self) -> Any:
        """As `receive`, without a timeout; at the end raises `StopAsyncIteration`."""
        buffer = self._buffer
        if buffer:
            if next(self._yields):
                await self._checkpoint()
            if buffer:
                return buffer.popleft()
        if self._closed:
            raise StopAsyncIteration
        waiter = self._new_waiter(None, self)
        self._receivers.append(waiter)
        self._put = self._offer
        try:
            await waiter.park(None)
        except BaseException as error:
            if self._withdraw(waiter, self._receivers):
                raise
            waiter.postpone(error)
        self._yields.__setstate__(0)
        if waiter.outcome != DONE:
            raise StopAsyncIteration  # it was closed
        return waiter.item
