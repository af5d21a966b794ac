"""Transfers between accounts, and an audit."""

import threading


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.lock = threading.Lock()


def transfer(source, target, amount):
    with source.lock, target.lock:
        source.balance -= amount
        target.balance += amount


def audit(accounts):
    return sum(account.balance for account in accounts)
