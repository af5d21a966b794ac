"""One task computes and never waits. Does the other one get a turn meanwhile?"""

from concmodels import load


async def main(room):
    noted = []
    async with room.TaskGroup() as group:
        group.spawn(note, room, noted)
        group.spawn(compute, room, noted)


async def note(room, noted):
    await room.sleep(0.02)
    noted.append("I was here")


async def compute(room, noted):
    end = room.now() + 0.3
    while not noted and room.now() < end:
        pass
    print("the other one had its turn while I computed" if noted else "nobody had a turn until I was done")


if __name__ == "__main__":
    asyncio = load("asyncio")
    asyncio.run(main, asyncio)
