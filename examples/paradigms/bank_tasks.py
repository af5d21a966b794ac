"""A bank of async tasks: they share the balances, and no other task runs between two lines without `await`.

So what has to be one step has no `await` in it: not between the look at the balance and the transfer, and not in a sum.
"""

from concmodels import AsyncModel, load

ACCOUNTS = {"ada": 100, "ben": 100}
ORDERS = [[("ada", "ben", 80)], [("ben", "ada", 10), ("ada", "ben", 80)]]


async def main(model: AsyncModel, accounts: Accounts = ACCOUNTS, orders: Orders = ORDERS, audits: int = 1) -> Outcome:
    balances = dict(accounts)
    async with model.TaskGroup() as group:
        tellers = [group.spawn(teller, model, balances, its, name=f"teller {n}") for n, its in enumerate(orders, 1)]
        auditor = group.spawn(audit, model, balances, audits, name="auditor")
    totals, refused = await auditor.result(), [await it.result() for it in tellers]
    assert totals == [sum(accounts.values())] * audits, f"the audit saw {totals}"
    assert min(balances.values()) >= 0, f"an account is overdrawn: {balances}"
    return balances, sum(refused)


async def teller(model: AsyncModel, balances: Accounts, orders: list[tuple[str, str, int]]) -> int:
    return sum([not await transfer(model, balances, *order) for order in orders])


async def transfer(model: AsyncModel, balances: Accounts, payer: str, payee: str, amount: int) -> bool:
    await signed(model)
    if balances[payer] < amount:
        return False
    balances[payer] -= amount
    balances[payee] += amount
    return True


async def signed(model: AsyncModel) -> None:
    await model.sleep(0)  # somebody else's server is asked


async def audit(model: AsyncModel, balances: Accounts, audits: int) -> list[int]:
    totals: list[int] = []
    for _ in range(audits):
        await signed(model)
        totals.append(sum(balances.values()))
    return totals


type Accounts = dict[str, int]
type Orders = list[list[tuple[str, str, int]]]
type Outcome = tuple[Accounts, int]


if __name__ == "__main__":
    asyncio = load("asyncio")
    print(asyncio.run(main, asyncio))
