"""It takes first and gives back; nobody sees that, because everything is under the lock."""

import threading


class Account:
    def __init__(self, balance):
        self.balance = balance
        self._turn = threading.RLock()

    def deposit(self, amount):
        with self._turn:
            self.balance += amount

    def withdraw(self, amount):
        with self._turn:
            self.deposit(-amount)
            if self.balance < 0:
                self.deposit(amount)
                return False
        return True
