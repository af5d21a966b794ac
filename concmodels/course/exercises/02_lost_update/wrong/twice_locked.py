"""Diagnosis: the lock is given back between the look and the act"""

import threading


class Counter:
    def __init__(self):
        self.value = 0
        self.lock = threading.Lock()

    def add(self, number):
        with self.lock:
            before = self.value
        with self.lock:
            self.value = before + number
