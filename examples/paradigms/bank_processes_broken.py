"""A bank of processes, broken: each transfer borrows the payer's balance first.

Two opposite transfers may each have one balance, and wait for the other one for ever, without any lock.
"""

from concmodels import load

ACCOUNTS = {"ada": 100, "ben": 100}
ORDERS = [[("ada", "ben", 80)], [("ben", "ada", 10), ("ada", "ben", 80)]]


def main(model, accounts=ACCOUNTS, orders=ORDERS, audits=1):
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


def account(balance, requests, returned):
    for borrower in requests:
        borrower.send(balance)
        balance = returned.receive()
    return balance


def teller(model, channels, orders):
    lent, refused = model.Channel(1, "lent"), 0
    for order in orders:
        refused += not transfer(channels, lent, *order)
    return refused


def transfer(channels, lent, payer, payee, amount):
    balances = borrowed(channels, lent, [payer, payee])
    enough = balances[payer] >= amount
    if enough:
        balances[payer] -= amount
        balances[payee] += amount
    give_back(channels, balances)
    return enough


def audit(model, channels, audits):
    lent, totals = model.Channel(1, "lent"), []
    for _ in range(audits):
        balances = borrowed(channels, lent, sorted(channels))
        totals.append(sum(balances.values()))
        give_back(channels, balances)
    return totals


def borrowed(channels, lent, names):
    balances = {}
    for name in names:
        channels[name][0].send(lent)
        balances[name] = lent.receive()
    return balances


def give_back(channels, balances):
    for name, balance in balances.items():
        channels[name][1].send(balance)


if __name__ == "__main__":
    processes = load("processes")
    print(processes.run(main, processes))
