"""Diagnosis: a task waits for a lock that it holds itself"""

import threading


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.lock = threading.Lock()

    def withdraw(self, amount):
        with self.lock:
            if self.balance >= amount:
                self.deposit(-amount)
                return True
            return False

    def deposit(self, amount):
        with self.lock:
            self.balance += amount
