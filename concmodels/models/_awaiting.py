"""How waiting works, awaited: the verbs of `_waiting.py` in the other colour, on the same steps."""

from concmodels.errors import ChannelClosed
from concmodels.models._waiting import CANCELLED, DONE, NOTHING, TIMED_OUT, ChannelState, Event, Waiter, expired, forget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from typing import Any, Self


class AsyncChannel(ChannelState):
    """The verbs that may wait, awaited. One loop runs one task at a time, so nothing here needs a lock."""

    async def send(self, item: Any, timeout: float | None = None) -> None:
        """As `SyncChannel.send`, awaited."""
        if next(self._turns, True):
            await self._visit_scheduler()
        if self._offer(item):
            return
        if expired(timeout):
            raise TimeoutError(f"{self!r} has no room")
        waiter = self._new_waiter(item)
        self._queue(waiter, self._senders)
        await self._wait(waiter, self._senders, timeout)

    async def receive(self, timeout: float | None = None) -> Any:
        """As `SyncChannel.receive`, awaited."""
        if next(self._turns, True):
            await self._visit_scheduler()
        item = self._take()
        if item is not NOTHING:
            return item
        if expired(timeout):
            raise TimeoutError(f"{self!r} is empty")
        waiter = self._new_waiter()
        self._queue(waiter, self._receivers)
        await self._wait(waiter, self._receivers, timeout)
        return waiter.item

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        """Receive until the channel is closed and drained; not a generator, so that a `break` leaves nothing open."""
        try:
            return await self.receive()
        except ChannelClosed:
            raise StopAsyncIteration from None

    async def _wait(self, waiter: Waiter, queue: deque[Waiter], timeout: float | None) -> None:
        try:
            await wait_async(waiter, timeout)
        except BaseException:
            self._withdraw(waiter, queue)
            raise
        self._settle(waiter, queue)


async def wait_async(waiter: Waiter, timeout: float | None) -> None:
    """As `wait`, awaited."""
    if not await waiter.park(timeout) and not waiter.claim(TIMED_OUT):
        await waiter.park(None)


class AsyncEvent(Event):
    """As `Event`, awaited."""

    async def wait(self, timeout: float | None = None) -> None:  # type: ignore[override]  # the other colour
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
