"""Diagnosis: after a pause, two should pass at once"""

import threading


class Limiter:
    def __init__(self, model, most, seconds):
        self.model, self.gap, self.next = model, seconds / most, 0
        self.lock = threading.Lock()

    def wait(self):
        with self.lock:
            left = self.next - self.model.now()
            if left > 0:
                self.model.sleep(left)
            self.next = self.model.now() + self.gap
