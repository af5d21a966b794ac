"""100 on the account, and two tasks that take 80 if there is enough."""

from concmodels import SyncModel, load


def main(model: SyncModel) -> int:
    account = {"balance": 100}
    with model.TaskGroup() as group:
        both = [group.spawn(withdraw, model, account, 80) for _ in range(2)]
    print("taken:", sum([task.result() for task in both]))
    print("balance:", account["balance"])
    return account["balance"]


def withdraw(model: SyncModel, account: dict[str, int], amount: int) -> int:
    if account["balance"] >= amount:
        model.sleep(0.2)  # the bank is asked
        account["balance"] -= amount
        return amount
    return 0


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
