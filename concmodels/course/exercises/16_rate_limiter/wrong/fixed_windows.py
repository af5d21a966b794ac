"""Diagnosis: 3 pass within a window, and 2 are allowed"""

import threading


class Limiter:
    def __init__(self, model, most, seconds):
        self.model, self.most, self.seconds = model, most, seconds
        self.begin, self.count = model.now(), 0
        self.lock = threading.Lock()

    def wait(self):
        with self.lock:
            if self.model.now() >= self.begin + self.seconds:
                self.begin, self.count = self.model.now(), 0
            elif self.count == self.most:
                self.model.sleep(self.begin + self.seconds - self.model.now())
                self.begin, self.count = self.model.now(), 0
            self.count += 1
