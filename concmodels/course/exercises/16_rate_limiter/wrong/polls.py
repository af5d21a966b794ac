"""Diagnosis: a task asks again and again"""

import threading


class Limiter:
    def __init__(self, model, most, seconds):
        self.model, self.most, self.seconds = model, most, seconds
        self.times = []
        self.lock = threading.Lock()

    def wait(self):
        while True:
            with self.lock:
                now = self.model.now()
                self.times = [it for it in self.times if it + self.seconds > now]
                if len(self.times) < self.most:
                    self.times.append(now)
                    return
            self.model.sleep(0)
