"""A task swallows its cancellation: asyncio lets it be, trio and anyio raise it again at every wait."""

from concmodels import AsyncChannel, AsyncModel, load


async def main(model: AsyncModel, counts: list[str]) -> None:
    async with model.TaskGroup() as group:
        asleep = model.Channel(1)
        task = group.spawn(stubborn, model, asleep, counts)
        await asleep.receive()
        task.cancel()


async def stubborn(model: AsyncModel, asleep: AsyncChannel[str], counts: list[str]) -> None:
    asleep.send_nowait("from here on")
    for _ in range(5):
        try:
            await model.sleep(0.1)
        except model.Cancelled:
            counts.append("cancelled")


if __name__ == "__main__":
    for name in ("asyncio", "trio", "anyio", "anyio:trio"):
        model, counts = load(name), list[str]()
        model.run(main, model, counts)
        print(f"{name}: raised in {len(counts)} of 5 sleeps")
