"""The same two withdrawals, but one task alone has the account: the others send it their requests."""

from concmodels import load


async def main(model):
    requests = model.Channel(8, "requests")
    async with model.TaskGroup() as group:
        owner = group.spawn(keep, model, requests, 100)
        async with model.TaskGroup() as customers:
            customers.spawn(withdraw, requests, 80)
            customers.spawn(withdraw, requests, 80)
        requests.close()
    print("balance:", await owner.result())


async def keep(model, requests, balance):
    async for amount in requests:
        if balance >= amount:
            await model.sleep(0.2)  # the bank is asked
            balance -= amount
    return balance


async def withdraw(requests, amount):
    await requests.send(amount)


if __name__ == "__main__":
    model = load("trio")
    model.run(main, model)
