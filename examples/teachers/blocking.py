"""A task blows a whistle four times while a report is written. When do the whistles sound?"""

import time

from concmodels import AsyncModel, load


async def main(model: AsyncModel) -> None:
    async with model.TaskGroup() as group:
        group.spawn(whistle, model)
        group.spawn(report)


async def whistle(model: AsyncModel) -> None:
    for number in range(1, 5):
        print("whistle", number)
        await model.sleep(0.1)


async def report() -> None:
    print("the report has begun")
    time.sleep(1)
    print("the report is done")


if __name__ == "__main__":
    model = load("asyncio")
    model.run(main, model)
