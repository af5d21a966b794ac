"""Two conditions with one lock, and a list; the sleepers are woken by name of what has come."""

import math
import threading

from concmodels.errors import ChannelClosed, WouldBlock


class Channel:
    def __init__(self, capacity=0, name=None):
        if capacity == 0:
            raise NotImplementedError
        if isinstance(capacity, bool) or capacity != math.inf and not (isinstance(capacity, int) and capacity > 0):
            raise ValueError(f"a capacity is a whole number or math.inf, not {capacity!r}")
        self.capacity, self.name, self.closed, self._shelf = capacity, name, False, []
        lock = threading.Lock()
        self._places, self._goods = threading.Condition(lock), threading.Condition(lock)

    def __len__(self):
        return len(self._shelf)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return self.receive()
        except ChannelClosed:
            raise StopIteration from None

    def close(self):
        with self._places:
            self.closed = True
            self._places.notify_all()
            self._goods.notify_all()

    def send(self, item, timeout=None):
        with self._places:
            self._put(
                item, self._places.wait_for(lambda: self.closed or len(self) < self.capacity, timeout), TimeoutError
            )

    def send_nowait(self, item):
        with self._places:
            self._put(item, self.closed or len(self) < self.capacity, WouldBlock)

    def _put(self, item, is_ready, error):
        if self.closed:
            raise ChannelClosed
        if not is_ready:
            raise error
        self._shelf.append(item)
        self._goods.notify()

    def receive(self, timeout=None):
        with self._goods:
            self._goods.wait_for(lambda: self.closed or self._shelf, timeout)
            return self._take(TimeoutError)

    def receive_nowait(self):
        with self._goods:
            return self._take(WouldBlock)

    def _take(self, error):
        if not self._shelf:
            raise ChannelClosed if self.closed else error
        self._places.notify()
        return self._shelf.pop(0)
