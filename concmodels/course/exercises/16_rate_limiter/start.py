"""At most so many in any window of time."""


class Limiter:
    def __init__(self, model, most, seconds):
        self.model, self.most, self.seconds = model, most, seconds

    def wait(self):
        pass
