"""The same two withdrawals, but one task alone has the account: the others send it their wishes."""

from concmodels import load


async def main(model):
    wishes = model.Channel(8, "wishes")
    async with model.TaskGroup() as group:
        owner = group.spawn(keep, model, wishes, 100)
        async with model.TaskGroup() as customers:
            customers.spawn(withdraw, wishes, 80)
            customers.spawn(withdraw, wishes, 80)
        wishes.close()
    print("balance:", await owner.result())


async def keep(model, wishes, balance):
    async for amount in wishes:
        if balance >= amount:
            await model.sleep(0.2)  # the bank is asked
            balance -= amount
    return balance


async def withdraw(wishes, amount):
    await wishes.send(amount)


if __name__ == "__main__":
    model = load("trio")
    model.run(main, model)
