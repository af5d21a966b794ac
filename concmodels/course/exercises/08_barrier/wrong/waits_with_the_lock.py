"""Diagnosis: a task waits for an event that nobody sets"""

import threading


class Barrier:
    def __init__(self, n):
        self.n, self.here = n, 0
        self.lock, self.full = threading.Lock(), threading.Event()

    def wait(self):
        with self.lock:
            self.here += 1
            if self.here == self.n:
                self.here = 0
                self.full.set()
                self.full = threading.Event()
            else:
                self.full.wait()
