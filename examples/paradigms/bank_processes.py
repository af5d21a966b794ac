"""A bank of processes: each account is one, and lends its balance to one task at a time, which gives back the new one.

Nothing is shared, so nothing else can reach a balance. All tasks borrow in the same order, that of the names.
"""

from concmodels import Channel, SyncModel, load

ACCOUNTS = {"ada": 100, "ben": 100}
ORDERS = [[("ada", "ben", 80)], [("ben", "ada", 10), ("ada", "ben", 80)]]


def main(model: SyncModel, accounts: Accounts = ACCOUNTS, orders: Orders = ORDERS, audits: int = 1) -> Outcome:
    channels = {name: (model.Channel(1, f"to {name}"), model.Channel(1, f"back to {name}")) for name in accounts}
    with model.TaskGroup() as group:
        owners = {name: group.spawn(account, accounts[name], *channels[name], name=name) for name in accounts}
        with model.TaskGroup() as clients:
            tellers = [
                clients.spawn(teller, model, channels, its, name=f"teller {n}") for n, its in enumerate(orders, 1)
            ]
            auditor = clients.spawn(audit, model, channels, audits, name="auditor")
        for requests, _ in channels.values():
            requests.close()
    assert auditor.result() == [sum(accounts.values())] * audits, f"the audit saw {auditor.result()}"
    return {name: it.result() for name, it in owners.items()}, sum(it.result() for it in tellers)


def account(balance: int, requests: Channel[Channel[int]], returned: Channel[int]) -> int:
    for borrower in requests:
        borrower.send(balance)
        balance = returned.receive()
    return balance


def teller(model: SyncModel, channels: Channels, orders: list[tuple[str, str, int]]) -> int:
    lent, refused = model.Channel(1, "lent"), 0
    for order in orders:
        refused += not transfer(channels, lent, *order)
    return refused


def transfer(channels: Channels, lent: Channel[int], payer: str, payee: str, amount: int) -> bool:
    balances = borrowed(channels, lent, sorted([payer, payee]))
    enough = balances[payer] >= amount
    if enough:
        balances[payer] -= amount
        balances[payee] += amount
    give_back(channels, balances)
    return enough


def audit(model: SyncModel, channels: Channels, audits: int) -> list[int]:
    lent, totals = model.Channel(1, "lent"), list[int]()
    for _ in range(audits):
        balances = borrowed(channels, lent, sorted(channels))
        totals.append(sum(balances.values()))
        give_back(channels, balances)
    return totals


def borrowed(channels: Channels, lent: Channel[int], names: list[str]) -> Accounts:
    balances: Accounts = {}
    for name in names:
        channels[name][0].send(lent)
        balances[name] = lent.receive()
    return balances


def give_back(channels: Channels, balances: Accounts) -> None:
    for name, balance in balances.items():
        channels[name][1].send(balance)


type Accounts = dict[str, int]
type Channels = dict[str, tuple[Channel[Channel[int]], Channel[int]]]
type Orders = list[list[tuple[str, str, int]]]
type Outcome = tuple[Accounts, int]


if __name__ == "__main__":
    processes = load("processes")
    print(processes.run(main, processes))
