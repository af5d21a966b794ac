"""The same two withdrawals, but one task alone has the account: the others send it their wishes."""

from concmodels import load


def main(model):
    wishes = model.Channel(8, "wishes")
    with model.TaskGroup() as group:
        owner = group.spawn(keep, model, wishes, 100)
        with model.TaskGroup() as customers:
            customers.spawn(withdraw, wishes, 80)
            customers.spawn(withdraw, wishes, 80)
        wishes.close()
    print("balance:", owner.result())


def keep(model, wishes, balance):
    for amount in wishes:
        if balance >= amount:
            model.sleep(0.2)  # the bank is asked
            balance -= amount
    return balance


def withdraw(wishes, amount):
    wishes.send(amount)


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
