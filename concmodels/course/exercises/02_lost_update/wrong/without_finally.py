"""Diagnosis: after an addition that fails the lock is not given back"""

import threading


class Counter:
    def __init__(self):
        self.value = 0
        self.lock = threading.Lock()

    def add(self, number):
        self.lock.acquire()
        self.value += number
        self.lock.release()
