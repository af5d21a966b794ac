"""Two semaphores count the places and the items; a lock protects the list."""

import threading


class Buffer:
    def __init__(self, capacity):
        self.places, self.ready = threading.Semaphore(capacity), threading.Semaphore(0)
        self.lock, self.items = threading.Lock(), []

    def put(self, item):
        self.places.acquire()
        with self.lock:
            self.items.append(item)
        self.ready.release()

    def get(self):
        self.ready.acquire()
        with self.lock:
            item = self.items.pop(0)
        self.places.release()
        return item
