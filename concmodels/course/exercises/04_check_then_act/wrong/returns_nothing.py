"""Diagnosis: it has to return True or False"""

import threading


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.lock = threading.Lock()

    def withdraw(self, amount):
        with self.lock:
            if self.balance >= amount:
                self.balance -= amount

    def deposit(self, amount):
        with self.lock:
            self.balance += amount
