"""The same two withdrawals, but one task alone has the account: the others send it their requests."""

from concmodels import load


def main(model):
    requests = model.Channel(8, "requests")
    with model.TaskGroup() as group:
        owner = group.spawn(keep, model, requests, 100)
        with model.TaskGroup() as customers:
            customers.spawn(withdraw, requests, 80)
            customers.spawn(withdraw, requests, 80)
        requests.close()
    print("balance:", owner.result())


def keep(model, requests, balance):
    for amount in requests:
        if balance >= amount:
            model.sleep(0.2)  # the bank is asked
            balance -= amount
    return balance


def withdraw(requests, amount):
    requests.send(amount)


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
