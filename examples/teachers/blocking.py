"""A task blows a whistle four times while a report is written. When do the whistles sound?"""

import time

from concmodels import load


async def main(model):
    async with model.TaskGroup() as group:
        group.spawn(whistle, model)
        group.spawn(report)


async def whistle(model):
    for number in range(1, 5):
        print("whistle", number)
        await model.sleep(0.1)


async def report():
    print("the report has begun")
    time.sleep(1)
    print("the report is done")


if __name__ == "__main__":
    model = load("asyncio")
    model.run(main, model)
