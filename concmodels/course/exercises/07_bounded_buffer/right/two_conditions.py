"""Two conditions with one lock: those that wait for a place, and those that wait for an item."""

import threading


class Buffer:
    def __init__(self, capacity):
        self.capacity = capacity
        self.items = []
        lock = threading.Lock()
        self.place, self.item = threading.Condition(lock), threading.Condition(lock)

    def put(self, item):
        with self.place:
            self.place.wait_for(lambda: len(self.items) < self.capacity)
            self.items.append(item)
            self.item.notify()

    def get(self):
        with self.item:
            self.item.wait_for(lambda: self.items)
            self.place.notify()
            return self.items.pop(0)
