"""Diagnosis: put does not wait, though the buffer is full"""

import threading
from collections import deque


class Buffer:
    def __init__(self, capacity):
        self.capacity = capacity
        self.items = deque()
        self.changed = threading.Condition()

    def put(self, item):
        with self.changed:
            self.items.append(item)
            self.changed.notify_all()

    def get(self):
        with self.changed:
            while not self.items:
                self.changed.wait()
            item = self.items.popleft()
            self.changed.notify_all()
            return item
