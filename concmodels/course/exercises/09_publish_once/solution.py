"""Something that is made once, when it is needed: by the thread that has the lock and finds nothing."""

import threading


class Once:
    def __init__(self, make):
        self.make = make
        self.made = None
        self.lock = threading.Lock()

    def get(self):
        with self.lock:
            if self.made is None:
                self.made = self.make()
            return self.made
