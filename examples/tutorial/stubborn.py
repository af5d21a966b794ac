"""A task that takes no notice of its cancellation: two models answer in two ways."""

from concmodels import load


async def main(room):
    ready = room.Channel(0)
    async with room.TaskGroup() as group:
        group.spawn(stubborn, room, ready)
        await ready.receive()
        group.cancel()


async def stubborn(room, ready):
    await ready.send("about to sleep")
    try:
        await room.sleep(3600)
    except room.Cancelled:
        print("  cancelled, but I sleep on")
    await room.sleep(0.2)
    print("  slept well")


if __name__ == "__main__":
    for name in ("asyncio", "trio"):
        print(name)
        room = load(name)
        room.run(main, room)
