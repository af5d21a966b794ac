"""A barrier that can be used again and again."""

import threading


class Barrier:
    def __init__(self, n):
        self.n = n
        self.here = 0
        self.changed = threading.Condition()

    def wait(self):
        pass
