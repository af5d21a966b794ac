"""A task that is cancelled once, and swallows it: is its next wait disturbed too?"""

from concmodels import load


async def main(room):
    async with room.TaskGroup() as group:
        task = group.spawn(stubborn, room)
        await room.sleep(0.1)
        task.cancel()


async def stubborn(room):
    for wait in ("first", "second", "third"):
        try:
            await room.sleep(0.3)
        except room.Cancelled:
            print(f"the {wait} wait: cancelled", flush=True)
        else:
            print(f"the {wait} wait: undisturbed", flush=True)


if __name__ == "__main__":
    asyncio = load("asyncio")
    asyncio.run(main, asyncio)
