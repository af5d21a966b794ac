"""A bank of channels, as in CSP: one task has all accounts, and the others send it what they want.

It does one thing at a time, so nobody sees a transfer half done. Each request brings the channel for its answer along.
"""

from typing import Any

from concmodels import Channel, SyncModel, load

ACCOUNTS = {"ada": 100, "ben": 100}
ORDERS = [[("ada", "ben", 80)], [("ben", "ada", 10), ("ada", "ben", 80)]]


def main(model: SyncModel, accounts: Accounts = ACCOUNTS, orders: Orders = ORDERS, audits: int = 1) -> Outcome:
    transfers, requests = model.Channel(0, "transfers"), model.Channel(0, "audits")
    with model.TaskGroup() as group:
        owner = group.spawn(bank, model, accounts, transfers, requests, name="bank")
        with transfers, requests, model.TaskGroup() as clients:
            tellers = [
                clients.spawn(teller, model, transfers, its, name=f"teller {n}") for n, its in enumerate(orders, 1)
            ]
            auditor = clients.spawn(audit, model, requests, audits, name="auditor")
    assert auditor.result() == [sum(accounts.values())] * audits, f"the audit saw {auditor.result()}"
    return owner.result(), sum(it.result() for it in tellers)


def bank(model: SyncModel, accounts: Accounts, transfers: Channel[Any], requests: Channel[Any]) -> Accounts:
    balances, sources = dict(accounts), [transfers, requests]
    while sources:
        came = model.select(*sources)
        if came.closed:
            sources.remove(came.channel)
        elif came.channel is requests:
            came.item.send(sum(balances.values()))
        else:
            payer, payee, amount, answer = came.item
            enough = balances[payer] >= amount
            if enough:
                balances[payer] -= amount
                balances[payee] += amount
            answer.send(enough)
    return balances


def teller(model: SyncModel, transfers: Channel[Any], orders: list[tuple[str, str, int]]) -> int:
    answer, refused = model.Channel(1, "answer"), 0
    for order in orders:
        transfers.send((*order, answer))
        refused += not answer.receive()
    return refused


def audit(model: SyncModel, requests: Channel[Any], audits: int) -> list[int]:
    answer, totals = model.Channel(1, "answer"), list[int]()
    for _ in range(audits):
        requests.send(answer)
        totals.append(answer.receive())
    return totals


type Accounts = dict[str, int]
type Orders = list[list[tuple[str, str, int]]]
type Outcome = tuple[Accounts, int]


if __name__ == "__main__":
    threads = load("threads")
    print(threads.run(main, threads))
