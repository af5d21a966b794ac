"""Right, but `main` prints the balance instead of returning it."""

import threading


def main(model):
    account, lock = {"balance": 100}, threading.Lock()
    with model.TaskGroup() as group:
        group.spawn(withdraw, model, account, lock, 80)
        group.spawn(withdraw, model, account, lock, 80)
    print("balance:", account["balance"])


def withdraw(model, account, lock, amount):
    with lock:
        if account["balance"] >= amount:
            model.sleep(0.2)
            account["balance"] -= amount
