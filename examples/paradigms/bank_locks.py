"""A bank of threads and locks: each account has a lock, and a task that needs several accounts holds all their locks.

All tasks acquire locks in the same order, that of the names, so they never wait for each other in a circle.
"""

import threading
from collections.abc import Iterable
from contextlib import ExitStack

from concmodels import SyncModel, load

ACCOUNTS = {"ada": 100, "ben": 100}
ORDERS = [[("ada", "ben", 80)], [("ben", "ada", 10), ("ada", "ben", 80)]]


class Account:
    def __init__(self, balance: int) -> None:
        self.balance = balance
        self.lock = threading.Lock()


def main(model: SyncModel, accounts: Accounts = ACCOUNTS, orders: Orders = ORDERS, audits: int = 1) -> Outcome:
    shared = {name: Account(balance) for name, balance in accounts.items()}
    opening = sum(it.balance for it in shared.values())
    with model.TaskGroup() as group:
        tellers = [group.spawn(teller, shared, its, name=f"teller {n}") for n, its in enumerate(orders, 1)]
        auditor = group.spawn(audit, shared, audits, name="auditor")
    assert auditor.result() == [opening] * audits, f"the audit saw {auditor.result()}"
    return {name: it.balance for name, it in shared.items()}, sum(it.result() for it in tellers)


def teller(accounts: dict[str, Account], orders: list[tuple[str, str, int]]) -> int:
    return sum(not transfer(accounts, *order) for order in orders)


def transfer(accounts: dict[str, Account], payer: str, payee: str, amount: int) -> bool:
    with locked(accounts[name] for name in sorted([payer, payee])):
        if accounts[payer].balance < amount:
            return False
        accounts[payer].balance -= amount
        accounts[payee].balance += amount
        return True


def audit(accounts: dict[str, Account], audits: int) -> list[int]:
    totals: list[int] = []
    for _ in range(audits):
        with locked(accounts[name] for name in sorted(accounts)):
            totals.append(sum(it.balance for it in accounts.values()))
    return totals


def locked(accounts: Iterable[Account]) -> ExitStack:
    held = ExitStack()
    for account in accounts:
        held.enter_context(account.lock)
    return held


type Accounts = dict[str, int]
type Orders = list[list[tuple[str, str, int]]]
type Outcome = tuple[Accounts, int]


if __name__ == "__main__":
    threads = load("threads")
    print(threads.run(main, threads))
