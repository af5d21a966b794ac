"""Diagnosis: no_receiver_is_overtaken_for_ever is broken

It looks, and then acts on what it has seen, with no lock at all; and it waits by looking again."""

import math
import time
from collections import deque
from contextlib import AbstractContextManager

from concmodels.errors import ChannelClosed, WouldBlock


class Channel(AbstractContextManager):
    def __init__(self, capacity=0, name=None):
        if capacity == 0:
            raise NotImplementedError("this Channel has no rendezvous, its capacity is at least 1")
        if capacity != math.inf and not (isinstance(capacity, int) and capacity > 0):
            raise ValueError(f"the capacity must be a whole number or math.inf, not {capacity!r}")
        self.capacity, self.name, self.closed = capacity, name, False
        self._items = deque()

    def send(self, item, timeout=None, too_late=TimeoutError):
        self._wait_until(lambda: self.closed or len(self) < self.capacity, timeout)
        if self.closed or len(self) == self.capacity:
            raise ChannelClosed if self.closed else too_late
        self._items.append(item)

    def receive(self, timeout=None, too_late=TimeoutError):
        self._wait_until(lambda: self.closed or self._items, timeout)
        if not self._items:
            raise ChannelClosed if self.closed else too_late
        return self._items.popleft()

    @staticmethod
    def _wait_until(ready, timeout):
        end = math.inf if timeout is None else time.monotonic() + timeout
        while not ready() and time.monotonic() < end:
            time.sleep(0.001)

    def send_nowait(self, item):
        self.send(item, timeout=0, too_late=WouldBlock)

    def receive_nowait(self):
        return self.receive(timeout=0, too_late=WouldBlock)

    def close(self):
        self.closed = True

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
