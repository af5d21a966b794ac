"""Diagnosis: iteration_ends is broken

A close throws away what was accepted and not received yet."""

import math
from collections import deque
from contextlib import AbstractContextManager
from threading import Condition

from concmodels.errors import ChannelClosed, WouldBlock


class Channel(AbstractContextManager):
    def __init__(self, capacity=0, name=None):
        if capacity == 0:
            raise NotImplementedError("this Channel has no rendezvous, its capacity is at least 1")
        if capacity != math.inf and not (isinstance(capacity, int) and capacity > 0):
            raise ValueError(f"the capacity must be a whole number or math.inf, not {capacity!r}")
        self.capacity, self.name, self.closed = capacity, name, False
        self._items = deque()
        self._changed = Condition()

    def send(self, item, timeout=None, too_late=TimeoutError):
        with self._changed:
            self._changed.wait_for(lambda: self.closed or len(self) < self.capacity, timeout)
            if self.closed or len(self) == self.capacity:
                raise ChannelClosed if self.closed else too_late
            self._items.append(item)
            self._changed.notify_all()

    def receive(self, timeout=None, too_late=TimeoutError):
        with self._changed:
            self._changed.wait_for(lambda: self.closed or self._items, timeout)
            if not self._items:
                raise ChannelClosed if self.closed else too_late
            self._changed.notify_all()
            return self._items.popleft()

    def send_nowait(self, item):
        self.send(item, timeout=0, too_late=WouldBlock)

    def receive_nowait(self):
        return self.receive(timeout=0, too_late=WouldBlock)

    def close(self):
        with self._changed:
            self.closed = True
            self._items.clear()
            self._changed.notify_all()

    def __exit__(self, *_):
        self.close()

    def __iter__(self):
        while True:
            try:
                yield self.receive()
            except ChannelClosed:
                return

    def __len__(self):
        return len(self._items)
