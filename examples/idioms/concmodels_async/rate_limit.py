"""A channel with one item, the next slot: the task that has it is alone."""

from concmodels import AsyncChannel, load

model = load("asyncio")


async def call(
    number: int,
    pace: AsyncChannel[float],
    made: AsyncChannel[int],
) -> None:
    slot = max(await pace.receive(), model.now())
    await pace.send(slot + 0.01)
    await model.sleep(slot - model.now())
    await made.send(number)


async def main() -> None:
    pace, made = model.Channel(1), model.Channel(4)
    await pace.send(0.0)
    async with model.TaskGroup() as group:
        for number in range(1, 5):
            group.spawn(call, number, pace, made)
    made.close()
    print(sorted([it async for it in made]))


if __name__ == "__main__":
    model.run(main)
