"""Diagnosis: no lock is held there"""


class Counter:
    def __init__(self):
        self.value = 0

    def add(self, number):
        self.value += number
