"""The withdrawals of examples/tutorial/races.py, without a lock: one task has the account, the others ask it."""

from concmodels import Channel, SyncModel, load


def main(model: SyncModel) -> int:
    requests = model.Channel(2, "requests")
    with model.TaskGroup() as group:
        owner = group.spawn(keep, model, requests, 100)
        with model.TaskGroup() as customers:
            customers.spawn(requests.send, 80)
            customers.spawn(requests.send, 80)
        requests.close()
    return owner.result()


def keep(model: SyncModel, requests: Channel[int], balance: int) -> int:
    for amount in requests:
        if balance >= amount:
            model.sleep(0.2)  # the bank is asked
            balance -= amount
    return balance


if __name__ == "__main__":
    model = load("threads")
    print("balance:", model.run(main, model))
