"""Who swallows a cancellation: asyncio lets it be, trio and anyio raise it again at every wait."""

from concmodels import load


async def main(room, counts):
    async with room.TaskGroup() as group:
        asleep = room.Channel(1)
        task = group.spawn(stubborn, room, asleep, counts)
        await asleep.receive()
        task.cancel()


async def stubborn(room, asleep, counts):
    asleep.send_nowait("from here on")
    for _ in range(5):
        try:
            await room.sleep(0.1)
        except room.Cancelled:
            counts.append("cancelled")


if __name__ == "__main__":
    for name in ("asyncio", "trio", "anyio", "anyio:trio"):
        room, counts = load(name), []
        room.run(main, room, counts)
        print(f"{name}: raised in {len(counts)} of 5 sleeps")
