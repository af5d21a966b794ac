"""Diagnosis: a task asks again and again"""

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
            self.changed.notify_all()

    def get(self):
        while True:
            with self.changed:
                if self.items:
                    self.changed.notify_all()
                    return self.items.popleft()
