"""A counter that several threads use: every addition is made under one lock."""

import threading


class Counter:
    def __init__(self):
        self.value = 0
        self.lock = threading.Lock()

    def add(self, number):
        with self.lock:
            self.value = self.value + number
