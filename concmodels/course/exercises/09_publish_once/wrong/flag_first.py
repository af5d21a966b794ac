"""Diagnosis: a thread gets nothing"""

import threading


class Once:
    def __init__(self, make):
        self.make, self.made, self.begun = make, None, False
        self.lock = threading.Lock()

    def get(self):
        with self.lock:
            first, self.begun = not self.begun, True
        if first:
            self.made = self.make()
        return self.made
