"""The channel of my_first_model.py, and capacity 0 too: `send` returns once a receiver has taken the item."""

import math
from collections import abc, deque
from contextlib import AbstractContextManager
from threading import Condition

from concmodels.errors import ChannelClosed, WouldBlock


class Channel[T](AbstractContextManager[object]):
    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        if capacity != math.inf and not (isinstance(capacity, int) and capacity >= 0):
            raise ValueError(f"the capacity must be a whole number or math.inf, not {capacity!r}")
        self.capacity, self.name, self.closed = capacity, name, False
        self._items, self._offers, self._receivers = deque[T](), deque[list[T]](), 0  # held, offered, waiting receivers
        self._changed = Condition()

    def send(self, item: T, timeout: float | None = None, too_late: type[Exception] = TimeoutError) -> None:
        with self._changed:
            self._offers.append(offer := [item])
            self._accept()
            self._changed.wait_for(lambda: self.closed or not offer, timeout)
            if offer:
                self._offers = deque(it for it in self._offers if it is not offer)
                raise ChannelClosed if self.closed else too_late

    def receive(self, timeout: float | None = None, too_late: type[Exception] = TimeoutError) -> T:
        with self._changed:
            self._receivers += 1
            self._accept()
            try:
                self._changed.wait_for(lambda: self.closed or self._items, timeout)
                if not self._items:
                    raise ChannelClosed if self.closed else too_late
                return self._items.popleft()
            finally:
                self._receivers -= 1
                self._accept()

    def _accept(self) -> None:
        """Take in what waits, in order, while there is room: without a shelf, one item for each receiver."""
        while self._offers and not self.closed and len(self._items) < (self.capacity or self._receivers):
            self._items.append(self._offers.popleft().pop())
            self._changed.notify_all()

    def send_nowait(self, item: T) -> None:
        self.send(item, timeout=0, too_late=WouldBlock)

    def receive_nowait(self) -> T:
        return self.receive(timeout=0, too_late=WouldBlock)

    def close(self) -> None:
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> abc.Iterator[T]:
        while True:
            try:
                yield self.receive()
            except ChannelClosed:
                return

    def __len__(self) -> int:
        return len(self._items)
