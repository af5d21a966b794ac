"""How waiting works, awaited: the verbs of `cooperative.py` with `await`, on the same steps."""

from concmodels.errors import ChannelClosed
from concmodels.models.waiting.channel import CANCELLED, DONE, NOTHING, TIMED_OUT, Event, Waiter, expired, forget
from concmodels.models.waiting.cooperative import CooperativeState, UnboundedState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from typing import Any, Self


class AsyncChannel(CooperativeState):
    """The verbs that may wait, awaited. One loop runs one task at a time, so nothing here needs a lock."""

    async def send(self, item: Any, timeout: float | None = None) -> None:
        """As `SyncChannel.send`, awaited."""
        if next(self._turns):
            await self._visit_scheduler()
        buffer = self._buffer
        if len(buffer) < self._room:
            buffer.append(item)
        elif not self._offer(item):
            await self._stand(item, self._senders, timeout)

    async def receive(self, timeout: float | None = None) -> Any:
        """As `SyncChannel.receive`, awaited."""
        if next(self._turns):
            await self._visit_scheduler()
        item = self._take()
        return await self._stand(None, self._receivers, timeout) if item is NOTHING else item

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        """Receive until the channel is closed and drained; not a generator, so that a `break` leaves nothing open."""
        if next(self._turns):
            await self._visit_scheduler()
        if self._buffer and not self._senders:
            return self._buffer.popleft()
        try:
            item = self._take()
            return await self._stand(None, self._receivers, None) if item is NOTHING else item
        except ChannelClosed:
            raise StopAsyncIteration from None

    async def _stand(self, item: Any, queue: deque[Waiter], timeout: float | None) -> Any:
        """Wait for a partner; return what it brought."""
        if timeout is not None and expired(timeout):
            raise self._no_waiting(queue)
        waiter = self._new_waiter(item)
        self._queue(waiter, queue)
        try:
            await waiter.park(timeout)  # as `wait_async`, with one coroutine less on the way of each message
            if not waiter.outcome:
                waiter.claim(TIMED_OUT)
        except BaseException as error:
            if self._withdraw(waiter, queue):
                raise
            waiter.put_off(error)
        if waiter.outcome != DONE:
            self._settle(waiter, queue)
        return waiter.item


class AsyncUnbounded(UnboundedState, AsyncChannel):
    """Awaited; nobody waits for room."""

    async def send(self, item: Any, timeout: float | None = None) -> None:
        """Send; there is always model. Raises `ChannelClosed`."""
        if next(self._turns):
            await self._visit_scheduler()
        self._put(item)

    async def __anext__(self) -> Any:
        """As `AsyncChannel.__anext__`; written out, for each call on the way of a message counts."""
        buffer = self._buffer
        if len(buffer) and next(self._turns):
            await self._visit_scheduler()
        if buffer:
            return buffer.popleft()
        if self._closed:
            raise StopAsyncIteration
        waiter = self._new_waiter()
        self._receivers.append(waiter)
        self._put = self._offer
        try:
            await waiter.park(None)
        except BaseException as error:
            if self._withdraw(waiter, self._receivers):
                raise
            waiter.put_off(error)
        if waiter.outcome != DONE:
            raise StopAsyncIteration  # closed
        return waiter.item


async def wait_async(waiter: Waiter, timeout: float | None) -> None:
    """Park until the waiter is claimed, or claim it for the timeout."""
    await waiter.park(timeout)
    if not waiter.outcome:
        waiter.claim(TIMED_OUT)


WAITS = (wait_async.__code__, AsyncChannel._stand.__code__, AsyncUnbounded.__anext__.__code__)
"""Where a task waits in this library: frames with a `waiter`, and a `timeout` where there can be one."""


class AsyncEvent(Event):
    """As `Event`, awaited."""

    async def wait(self, timeout: float | None = None) -> None:  # type: ignore[override]  # awaited
        """As `Event.wait`, awaited."""
        if self.happened:
            return
        if expired(timeout):
            raise TimeoutError("it has not happened yet")
        waiter = self._new_waiter()
        self._waiters.append(waiter)
        try:
            await wait_async(waiter, timeout)
        finally:
            if waiter.outcome != DONE:
                waiter.claim(CANCELLED)
                forget(self._waiters, waiter)
        if waiter.outcome == TIMED_OUT:
            raise TimeoutError("it did not happen in time")
