"""Diagnosis: one of the accesses is outside of the lock"""

import threading


class Counter:
    def __init__(self):
        self.value = 0
        self.lock = threading.Lock()

    def add(self, number):
        before = self.value
        with self.lock:
            self.value = before + number
