"""Diagnosis: and could after 20"""

import threading
from collections import deque


class Limiter:
    def __init__(self, model, most, seconds):
        self.model, self.seconds = model, seconds
        self.times = deque(maxlen=most)
        self.lock = threading.Lock()

    def wait(self):
        with self.lock:
            now = time = self.model.now()
            if len(self.times) == self.times.maxlen:
                time = max(now, self.times[-1] + self.seconds)
            self.times.append(time)
        if time > now:
            self.model.sleep(time - now)
