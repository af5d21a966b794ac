"""The numbers are those of a class attribute; two `with` do for a transfer, an audit takes its locks by hand."""

import threading


class Account:
    made = 0

    def __init__(self, balance):
        Account.made += 1
        self.place = Account.made
        self.balance = balance
        self.lock = threading.Lock()


def transfer(source, target, amount):
    first, second = (source, target) if source.place < target.place else (target, source)
    with first.lock, second.lock:
        source.balance -= amount
        target.balance += amount


def audit(accounts):
    ordered = sorted(accounts, key=lambda it: it.place)
    for account in ordered:
        account.lock.acquire()
    try:
        return sum(account.balance for account in accounts)
    finally:
        for account in ordered:
            account.lock.release()
