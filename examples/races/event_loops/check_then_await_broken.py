"""Two tasks each take 80 from an account with 100 on it, if there is enough, once a bank has agreed.

Both look before either has taken, because each waits for the bank in between: what was seen is old after an `await`.
"""

import asyncio


async def ask_the_bank() -> None:
    await asyncio.sleep(0.01)


class Account:
    def __init__(self, balance: int) -> None:
        self.balance = balance

    async def withdraw(self, amount: int) -> None:
        if self.balance >= amount:
            await ask_the_bank()
            self.balance -= amount


async def main() -> None:
    account = Account(100)
    await asyncio.gather(account.withdraw(80), account.withdraw(80))
    assert account.balance == 20, f"the balance is {account.balance}"


if __name__ == "__main__":
    asyncio.run(main())
