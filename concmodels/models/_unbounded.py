"""The unbounded channel of the cooperative models, once per colour.

Tasks share one thread, so between two waits nobody interferes: one append to send, one popleft to receive, and a look
at who waits. What is left to do is fairness: after 256 operations in a row the others have their turn.
"""

import math

from concmodels.errors import ChannelClosed
from concmodels.models._awaiting import AsyncChannel
from concmodels.models._waiting import ChannelState, SyncChannel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterator
    from typing import Any

    from concmodels.models._waiting import Waiter


class _Unbounded(ChannelState):
    """`_put` is the buffer's own append, or `_offer` while there is more to do: receivers wait, or it is closed."""

    def __init__(self, capacity: float = math.inf, name: str | None = None) -> None:
        super().__init__(capacity, name)
        self._put: Callable[[Any], object] = self._buffer.append
        self._turns = self._turns  # the room's one count; found quicker in the instance than in the class

    def _offer(self, item: Any) -> bool:
        accepted = super()._offer(item)
        if not self._receivers:
            self._put = self._buffer.append
        return accepted

    def _queue(self, waiter: Waiter, queue: deque[Waiter]) -> None:
        self._put = self._offer
        super()._queue(waiter, queue)

    def close(self) -> None:
        """As `ChannelState.close`."""
        self._put = self._offer
        super().close()


class CooperativeUnbounded(_Unbounded, SyncChannel):
    """In plain code (greenlet, gevent, eventlet)."""

    def send(self, item: Any, timeout: float | None = None) -> None:
        """Send; there is always room. Raises `ChannelClosed`."""
        if next(self._turns):
            self._visit_scheduler()
        self._put(item)

    def __iter__(self) -> Iterator[Any]:
        """Receive until the channel is closed and drained."""
        popleft = self._buffer.popleft
        while True:
            try:
                for others_turn in self._turns:
                    if others_turn:
                        self._visit_scheduler()
                    yield popleft()
            except IndexError:
                pass  # empty for now: wait below
            try:
                item = self.receive()
            except ChannelClosed:
                return
            yield item
            del item  # nobody is to hold it while the next one is waited for


class AsyncUnbounded(_Unbounded, AsyncChannel):
    """Awaited (asyncio, trio, anyio)."""

    async def send(self, item: Any, timeout: float | None = None) -> None:
        """Send; there is always room. Raises `ChannelClosed`."""
        if next(self._turns):
            await self._visit_scheduler()
        self._put(item)

    async def __anext__(self) -> Any:
        """Receive until the channel is closed and drained."""
        if next(self._turns):
            await self._visit_scheduler()
        try:
            return self._buffer.popleft()
        except IndexError:
            pass  # empty for now: wait
        try:
            return await self.receive()
        except ChannelClosed:
            raise StopAsyncIteration from None
