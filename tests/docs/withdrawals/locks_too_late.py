"""The lock is around the act alone, so both have looked before one acts."""

import threading


def main(model):
    account, lock = {"balance": 100}, threading.Lock()
    with model.TaskGroup() as group:
        group.spawn(withdraw, model, account, lock, 80)
        group.spawn(withdraw, model, account, lock, 80)
    return account["balance"]


def withdraw(model, account, lock, amount):
    if account["balance"] >= amount:
        model.sleep(0.2)
        with lock:
            account["balance"] -= amount
