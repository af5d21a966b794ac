"""Each round has an object of its own; a new one begins when the last thread has come."""

import threading


class Round:
    def __init__(self):
        self.missing = None


class Barrier:
    def __init__(self, n):
        self.n = n
        self.lock = threading.Lock()
        self._begin()

    def _begin(self):
        self.left, self.over = self.n, threading.Event()

    def wait(self):
        with self.lock:
            over = self.over
            self.left -= 1
            if self.left == 0:
                over.set()
                self._begin()
        over.wait()
