"""A buffer with a limited number of places."""

import threading
from collections import deque


class Buffer:
    def __init__(self, capacity):
        self.capacity = capacity
        self.items = deque()
        self.changed = threading.Condition()

    def put(self, item):
        self.items.append(item)

    def get(self):
        return self.items.popleft()
