"""Diagnosis: in round 2 a thread goes on before all are there"""

import threading


class Barrier:
    def __init__(self, n):
        self.n = n
        self.here = 0
        self.changed = threading.Condition()

    def wait(self):
        with self.changed:
            self.here += 1
            self.changed.notify_all()
            while self.here < self.n:
                self.changed.wait()
