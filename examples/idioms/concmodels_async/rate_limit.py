"""A channel with one item, the next slot: the task that has it is alone."""

from concmodels import load


async def call(model, number, pace, made):
    slot = max(await pace.receive(), model.now())
    await pace.send(slot + 0.01)
    await model.sleep(slot - model.now())
    await made.send(number)


async def main(model):
    pace, made = model.Channel(1), model.Channel(4)
    await pace.send(0.0)
    async with model.TaskGroup() as group:
        for number in range(1, 5):
            group.spawn(call, model, number, pace, made)
    made.close()
    print(sorted([it async for it in made]))


if __name__ == "__main__":
    model = load("asyncio")
    model.run(main, model)
