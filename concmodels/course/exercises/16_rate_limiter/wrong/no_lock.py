"""Diagnosis: two tasks that ask at once both pass"""


class Limiter:
    def __init__(self, model, most, seconds):
        self.model, self.most, self.seconds = model, most, seconds
        self.times = []

    def wait(self):
        while len(self.times) >= self.most:
            left = self.times[0] + self.seconds - self.model.now()
            if left <= 0:
                self.times.pop(0)
            else:
                self.model.sleep(left)
        self.times.append(self.model.now())
