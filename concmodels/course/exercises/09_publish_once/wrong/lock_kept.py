"""Diagnosis: after a failure the lock is kept"""

import threading


class Once:
    def __init__(self, make):
        self.make, self.made = make, None
        self.lock = threading.Lock()

    def get(self):
        self.lock.acquire()
        if self.made is None:
            self.made = self.make()
        self.lock.release()
        return self.made
