"""Somebody blows a whistle four times while a report is written. And now they all sound in time."""

from concmodels import load


async def main(room):
    async with room.TaskGroup() as group:
        group.spawn(whistle, room)
        group.spawn(report, room)


async def whistle(room):
    for number in range(1, 5):
        print("whistle", number)
        await room.sleep(0.1)


async def report(room):
    print("the report is begun")
    await room.sleep(1)
    print("the report is done")


if __name__ == "__main__":
    asyncio = load("asyncio")
    asyncio.run(main, asyncio)
