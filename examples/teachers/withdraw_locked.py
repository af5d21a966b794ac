"""The withdrawals of examples/tutorial/races.py, with a lock around the look and the act."""

import threading

from concmodels import load


def main(room):
    account, lock = {"balance": 100}, threading.Lock()
    with room.TaskGroup() as group:
        group.spawn(withdraw, room, account, lock, 80)
        group.spawn(withdraw, room, account, lock, 80)
    print("balance:", account["balance"])


def withdraw(room, account, lock, amount):
    with lock:
        if account["balance"] >= amount:
            room.sleep(0.2)  # the bank is asked
            account["balance"] -= amount


if __name__ == "__main__":
    threads = load("threads")
    threads.run(main, threads)
