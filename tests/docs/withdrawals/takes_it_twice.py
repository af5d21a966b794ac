"""A task that has the lock takes it again, and waits for itself."""

import threading


def main(model):
    account, lock = {"balance": 100}, threading.Lock()
    with model.TaskGroup() as group:
        group.spawn(withdraw, model, account, lock, 80)
        group.spawn(withdraw, model, account, lock, 80)
    return account["balance"]


def balance(account, lock):
    with lock:
        return account["balance"]


def withdraw(model, account, lock, amount):
    with lock:
        if balance(account, lock) >= amount:
            model.sleep(0.2)
            account["balance"] -= amount
