"""A look before the lock saves the lock; the one that counts is under it."""

import threading


class Once:
    def __init__(self, make):
        self._make = make
        self._lock = threading.Lock()
        self._made = []

    def get(self):
        if not self._made:
            with self._lock:
                if not self._made:
                    self._made.append(self._make())
        return self._made[0]
