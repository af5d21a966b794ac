"""Diagnosis: the tasks hold different locks"""

import threading


class Counter:
    def __init__(self):
        self.value = 0

    def add(self, number):
        lock = threading.Lock()
        with lock:
            self.value += number
