"""The same two withdrawals, but one task alone has the account: the others send it their requests."""

from concmodels import AsyncChannel, AsyncModel, load


async def main(model: AsyncModel) -> None:
    requests = model.Channel(8, "requests")
    async with model.TaskGroup() as group:
        owner = group.spawn(keep, model, requests, 100)
        async with model.TaskGroup() as customers:
            customers.spawn(withdraw, requests, 80)
            customers.spawn(withdraw, requests, 80)
        requests.close()
    print("balance:", await owner.result())


async def keep(model: AsyncModel, requests: AsyncChannel[int], balance: int) -> int:
    async for amount in requests:
        if balance >= amount:
            await model.sleep(0.2)  # the bank is asked
            balance -= amount
    return balance


async def withdraw(requests: AsyncChannel[int], amount: int) -> None:
    await requests.send(amount)


if __name__ == "__main__":
    model = load("trio")
    model.run(main, model)
