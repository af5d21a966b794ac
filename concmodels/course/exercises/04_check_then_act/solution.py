"""An account that several threads use: who looks, also acts, before anybody else looks."""

import threading


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.lock = threading.Lock()

    def withdraw(self, amount):
        with self.lock:
            if self.balance >= amount:
                self.balance -= amount
                return True
            return False

    def deposit(self, amount):
        with self.lock:
            self.balance += amount
