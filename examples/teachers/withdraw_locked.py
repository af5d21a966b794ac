"""The withdrawals of examples/tutorial/races.py, with a lock around the look and the act."""

import threading

from concmodels import SyncModel, load


def main(model: SyncModel) -> int:
    account, lock = {"balance": 100}, threading.Lock()
    with model.TaskGroup() as group:
        group.spawn(withdraw, model, account, lock, 80)
        group.spawn(withdraw, model, account, lock, 80)
    return account["balance"]


def withdraw(model: SyncModel, account: dict[str, int], lock: threading.Lock, amount: int) -> None:
    with lock:
        if account["balance"] >= amount:
            model.sleep(0.2)  # the bank is asked
            account["balance"] -= amount


if __name__ == "__main__":
    model = load("threads")
    print("balance:", model.run(main, model))
