"""Diagnosis: a withdrawal is refused, though there is enough"""

import threading


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.lock = threading.Lock()

    def withdraw(self, amount):
        if not self.lock.acquire(blocking=False):
            return False
        try:
            if self.balance >= amount:
                self.balance -= amount
                return True
            return False
        finally:
            self.lock.release()

    def deposit(self, amount):
        with self.lock:
            self.balance += amount
