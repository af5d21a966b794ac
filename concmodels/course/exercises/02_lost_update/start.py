"""A counter that several threads use."""


class Counter:
    def __init__(self):
        self.value = 0

    def add(self, number):
        self.value = self.value + number
