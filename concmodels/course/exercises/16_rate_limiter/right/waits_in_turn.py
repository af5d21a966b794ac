"""It sleeps with the lock: the others wait for the lock meanwhile, and would have to wait anyway."""

import threading


class Limiter:
    def __init__(self, model, most, seconds):
        self.model, self.most, self.seconds = model, most, seconds
        self.times = []
        self.turn = threading.Lock()

    def wait(self):
        with self.turn:
            while len(self.times) >= self.most:
                left = self.times[0] + self.seconds - self.model.now()
                if left <= 0:
                    self.times.pop(0)
                else:
                    self.model.sleep(left)
            self.times.append(self.model.now())
