"""100 on the account, and two tasks that take 80 if there is enough."""

from concmodels import AsyncModel, load


async def main(model: AsyncModel) -> int:
    account = {"balance": 100}
    async with model.TaskGroup() as group:
        both = [group.spawn(withdraw, model, account, 80) for _ in range(2)]
    print("taken:", sum([await task.result() for task in both]))
    print("balance:", account["balance"])
    return account["balance"]


async def withdraw(model: AsyncModel, account: dict[str, int], amount: int) -> int:
    if account["balance"] >= amount:
        await model.sleep(0.2)  # the bank is asked
        account["balance"] -= amount
        return amount
    return 0


if __name__ == "__main__":
    model = load("trio")
    model.run(main, model)
