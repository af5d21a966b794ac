"""Diagnosis: overdrawn: one of the accesses is outside of the lock"""

import threading


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.lock = threading.Lock()

    def withdraw(self, amount):
        if self.balance >= amount:
            with self.lock:
                self.balance -= amount
            return True
        return False

    def deposit(self, amount):
        with self.lock:
            self.balance += amount
