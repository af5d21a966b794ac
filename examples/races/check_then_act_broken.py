"""Two threads each take 80 from an account with 100 on it, if there is enough.

Both may look before either has taken: then both find enough, and 160 are paid out.
"""

import threading


class Account:
    def __init__(self, balance: int) -> None:
        self.balance = balance

    def withdraw(self, amount: int) -> None:
        if self.balance >= amount:
            self.balance -= amount


def main() -> None:
    account = Account(100)
    threads = [threading.Thread(target=account.withdraw, args=(80,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert account.balance == 20, f"the balance is {account.balance}"


if __name__ == "__main__":
    main()
