"""Diagnosis: overdrawn: the lock is given back between the look and the act"""

import threading


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.lock = threading.Lock()

    def withdraw(self, amount):
        with self.lock:
            enough = self.balance >= amount
        if enough:
            with self.lock:
                self.balance -= amount
        return enough

    def deposit(self, amount):
        with self.lock:
            self.balance += amount
