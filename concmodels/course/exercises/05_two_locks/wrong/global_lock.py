"""Diagnosis: one transfer makes all others wait"""

import threading

bank = threading.Lock()


class Account:
    def __init__(self, balance):
        self.balance = balance


def transfer(source, target, amount):
    with bank:
        source.balance -= amount
        target.balance += amount


def audit(accounts):
    with bank:
        return sum(account.balance for account in accounts)
