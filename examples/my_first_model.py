"""A channel between threads, from one condition and one deque: python -m concmodels.conformance my_first_model.py"""

import math
from collections import abc, deque
from contextlib import AbstractContextManager
from threading import Condition

from concmodels.errors import ChannelClosed, WouldBlock


class Channel[T](AbstractContextManager[object]):
    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        if capacity == 0:
            raise NotImplementedError("this Channel has no rendezvous, its capacity is at least 1")
        if capacity != math.inf and not (isinstance(capacity, int) and capacity > 0):
            raise ValueError(f"the capacity must be a whole number or math.inf, not {capacity!r}")
        self.capacity, self.name, self.closed = capacity, name, False
        self._items: deque[T] = deque()
        self._changed = Condition()

    def send(self, item: T, timeout: float | None = None, too_late: type[Exception] = TimeoutError) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self.closed or len(self) < self.capacity, timeout)
            if self.closed or len(self) == self.capacity:
                raise ChannelClosed if self.closed else too_late
            self._items.append(item)
            self._changed.notify_all()

    def receive(self, timeout: float | None = None, too_late: type[Exception] = TimeoutError) -> T:
        with self._changed:
            self._changed.wait_for(lambda: self.closed or self._items, timeout)
            if not self._items:
                raise ChannelClosed if self.closed else too_late
            self._changed.notify_all()
            return self._items.popleft()

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
