"""Diagnosis: a task waits on a condition, and nobody is left to notify it"""

import threading
from collections import deque


class Buffer:
    def __init__(self, capacity):
        self.capacity = capacity
        self.items = deque()
        self.changed = threading.Condition()

    def put(self, item):
        with self.changed:
            while len(self.items) == self.capacity:
                self.changed.wait()
            self.items.append(item)
            self.changed.notify()

    def get(self):
        with self.changed:
            while not self.items:
                self.changed.wait()
            item = self.items.popleft()
            self.changed.notify()
            return item
