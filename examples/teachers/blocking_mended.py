"""A task blows a whistle four times while a report is written. And now they all sound in time."""

from concmodels import AsyncModel, load


async def main(model: AsyncModel) -> None:
    async with model.TaskGroup() as group:
        group.spawn(whistle, model)
        group.spawn(report, model)


async def whistle(model: AsyncModel) -> None:
    for number in range(1, 5):
        print("whistle", number)
        await model.sleep(0.1)


async def report(model: AsyncModel) -> None:
    print("the report has begun")
    await model.sleep(1)
    print("the report is done")


if __name__ == "__main__":
    model = load("asyncio")
    model.run(main, model)
