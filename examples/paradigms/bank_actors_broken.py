"""A bank of actors, broken: there are two bank actors, so that they share the work.

Each has one message at a time, but one may do an audit while the other one has done half of a transfer.
"""

from typing import Any

from concmodels import SyncModel, actors, load

ACCOUNTS = {"ada": 100, "ben": 100}
ORDERS = [[("ada", "ben", 80)], [("ben", "ada", 10), ("ada", "ben", 80)]]


class Account(actors.Actor):
    def __init__(self, balance: int) -> None:
        self.balance = balance

    def receive(self, change: int) -> int | None:
        if self.balance + change < 0:
            return None
        self.balance += change
        return self.balance


class Bank(actors.Actor):
    def __init__(self, accounts: dict[str, Any]) -> None:
        self.accounts = accounts

    def receive(self, order: Any) -> object:
        if order == "audit":
            return sum(account.ask(0) for account in self.accounts.values())
        payer, payee, amount = order
        if self.accounts[payer].ask(-amount) is None:
            return False
        self.accounts[payee].tell(amount)
        return True


def main(model: SyncModel, accounts: Accounts = ACCOUNTS, orders: Orders = ORDERS, audits: int = 1) -> Outcome:
    with actors.system(model) as system:
        refs = {name: system.start(Account, balance, name=name) for name, balance in accounts.items()}
        banks = [system.start(Bank, refs, name=f"bank {n}") for n in (1, 2)]
        with model.TaskGroup() as group:
            tellers = [group.spawn(teller, banks[n % 2], its, name=f"teller {n}") for n, its in enumerate(orders, 1)]
            auditor = group.spawn(audit, banks[0], audits, name="auditor")
        balances = {name: ref.ask(0) for name, ref in refs.items()}
    assert auditor.result() == [sum(accounts.values())] * audits, f"the audit saw {auditor.result()}"
    return balances, sum(it.result() for it in tellers)


def teller(bank: Any, orders: list[tuple[str, str, int]]) -> int:
    return sum(not bank.ask(order) for order in orders)


def audit(bank: Any, audits: int) -> list[int]:
    return [bank.ask("audit") for _ in range(audits)]


type Accounts = dict[str, int]
type Orders = list[list[tuple[str, str, int]]]
type Outcome = tuple[Accounts, int]


if __name__ == "__main__":
    threads = load("threads")
    print(threads.run(main, threads))
