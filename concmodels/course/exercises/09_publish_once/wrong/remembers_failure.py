"""Diagnosis: OSError: the first time it fails"""

import threading


class Once:
    def __init__(self, make):
        self.make, self.made, self.error = make, None, None
        self.lock = threading.Lock()

    def get(self):
        with self.lock:
            if self.error:
                raise self.error
            if self.made is None:
                try:
                    self.made = self.make()
                except Exception as error:
                    self.error = error
                    raise
            return self.made
