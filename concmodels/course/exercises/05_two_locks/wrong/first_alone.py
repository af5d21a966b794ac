"""Diagnosis: are left of 100 and 100"""

import itertools
import threading
from contextlib import ExitStack

numbers = itertools.count()


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.number = next(numbers)
        self.lock = threading.Lock()


def locked(*accounts):
    locks = ExitStack()
    for account in sorted(accounts, key=lambda it: it.number):
        locks.enter_context(account.lock)
    return locks


def transfer(source, target, amount):
    with source.lock:
        source.balance -= amount
        target.balance += amount


def audit(accounts):
    with locked(*accounts):
        return sum(account.balance for account in accounts)
