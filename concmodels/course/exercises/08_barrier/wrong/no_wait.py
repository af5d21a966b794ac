"""Diagnosis: in round 1 a thread goes on before all are there"""


class Barrier:
    def __init__(self, n):
        self.n = n

    def wait(self):
        pass
