"""The withdrawals of examples/tutorial/races.py, without a lock: one task has the account, the others ask it."""

from concmodels import load


def main(model):
    wishes = model.Channel(2, "wishes")
    with model.TaskGroup() as group:
        owner = group.spawn(keep, model, wishes, 100)
        with model.TaskGroup() as customers:
            customers.spawn(wishes.send, 80)
            customers.spawn(wishes.send, 80)
        wishes.close()
    return owner.result()


def keep(model, wishes, balance):
    for amount in wishes:
        if balance >= amount:
            model.sleep(0.2)  # the bank is asked
            balance -= amount
    return balance


if __name__ == "__main__":
    model = load("threads")
    print("balance:", model.run(main, model))
