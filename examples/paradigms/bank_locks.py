"""A bank of threads and locks: each account has a lock, and a task that needs several accounts holds all their locks.

All tasks acquire locks in the same order, that of the names, so they never wait for each other in a circle.
"""

import threading
from contextlib import ExitStack

from concmodels import load

ACCOUNTS = {"ada": 100, "ben": 100}
ORDERS = [[("ada", "ben", 80)], [("ben", "ada", 10), ("ada", "ben", 80)]]


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.lock = threading.Lock()


def main(model, accounts=ACCOUNTS, orders=ORDERS, audits=1):
    accounts = {name: Account(balance) for name, balance in accounts.items()}
    opening = sum(it.balance for it in accounts.values())
    with model.TaskGroup() as group:
        tellers = [group.spawn(teller, accounts, its, name=f"teller {n}") for n, its in enumerate(orders, 1)]
        auditor = group.spawn(audit, accounts, audits, name="auditor")
    assert auditor.result() == [opening] * audits, f"the audit saw {auditor.result()}"
    return {name: it.balance for name, it in accounts.items()}, sum(it.result() for it in tellers)


def teller(accounts, orders):
    return sum(not transfer(accounts, *order) for order in orders)


def transfer(accounts, payer, payee, amount):
    with locked(accounts[name] for name in sorted([payer, payee])):
        if accounts[payer].balance < amount:
            return False
        accounts[payer].balance -= amount
        accounts[payee].balance += amount
        return True


def audit(accounts, audits):
    totals = []
    for _ in range(audits):
        with locked(accounts[name] for name in sorted(accounts)):
            totals.append(sum(it.balance for it in accounts.values()))
    return totals


def locked(accounts):
    held = ExitStack()
    for account in accounts:
        held.enter_context(account.lock)
    return held


if __name__ == "__main__":
    threads = load("threads")
    print(threads.run(main, threads))
