"""Diagnosis: a task waits on a condition, and nobody is left to notify it"""

import threading


class Barrier:
    def __init__(self, n):
        self.n = n
        self.here = 0
        self.changed = threading.Condition()

    def wait(self):
        with self.changed:
            self.here += 1
            if self.here == self.n:
                self.here = 0
                self.changed.notify_all()
            while 0 < self.here < self.n:
                self.changed.wait()
