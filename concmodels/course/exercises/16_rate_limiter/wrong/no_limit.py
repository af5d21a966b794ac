"""Diagnosis: 5 pass within a window, and 2 are allowed"""


class Limiter:
    def __init__(self, model, most, seconds):
        pass

    def wait(self):
        pass
