"""The same two withdrawals, but one task alone has the account: the others send it their requests."""

from concmodels import Channel, SyncModel, load


def main(model: SyncModel) -> None:
    requests = model.Channel(8, "requests")
    with model.TaskGroup() as group:
        owner = group.spawn(keep, model, requests, 100)
        with model.TaskGroup() as customers:
            customers.spawn(withdraw, requests, 80)
            customers.spawn(withdraw, requests, 80)
        requests.close()
    print("balance:", owner.result())


def keep(model: SyncModel, requests: Channel[int], balance: int) -> int:
    for amount in requests:
        if balance >= amount:
            model.sleep(0.2)  # the bank is asked
            balance -= amount
    return balance


def withdraw(requests: Channel[int], amount: int) -> None:
    requests.send(amount)


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
