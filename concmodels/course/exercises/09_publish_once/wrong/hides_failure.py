"""Diagnosis: the failure is hidden from the caller"""

import threading


class Once:
    def __init__(self, make):
        self.make, self.made = make, None
        self.lock = threading.Lock()

    def get(self):
        with self.lock:
            if self.made is None:
                try:
                    self.made = self.make()
                except Exception:
                    return None
            return self.made
