"""Two tasks each take 80 from an account with 100 on it, if there is enough, once a bank has agreed.

Whether there is enough is asked after the `await`: from there to the subtraction, no other task can run.
"""

import asyncio


async def ask_the_bank() -> None:
    await asyncio.sleep(0.01)


class Account:
    def __init__(self, balance: int) -> None:
        self.balance = balance

    async def withdraw(self, amount: int) -> None:
        await ask_the_bank()
        if self.balance >= amount:
            self.balance -= amount


async def main() -> None:
    account = Account(100)
    await asyncio.gather(account.withdraw(80), account.withdraw(80))
    assert account.balance == 20, f"the balance is {account.balance}"


if __name__ == "__main__":
    asyncio.run(main())
