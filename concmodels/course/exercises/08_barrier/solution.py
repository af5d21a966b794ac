"""A barrier that can be used again and again: a thread waits for the end of its own round."""

import threading


class Barrier:
    def __init__(self, n):
        self.n = n
        self.here = 0
        self.round = 0
        self.changed = threading.Condition()

    def wait(self):
        with self.changed:
            self.here += 1
            if self.here == self.n:
                self.here = 0
                self.round += 1
                self.changed.notify_all()
                return
            mine = self.round
            while self.round == mine:
                self.changed.wait()
