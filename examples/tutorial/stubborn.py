"""A task that takes no notice of its cancellation: two models answer in two ways."""

from concmodels import AsyncChannel, AsyncModel, load


async def main(model: AsyncModel) -> None:
    ready = model.Channel(0)
    async with model.TaskGroup() as group:
        group.spawn(stubborn, model, ready)
        await ready.receive()
        group.cancel()


async def stubborn(model: AsyncModel, ready: AsyncChannel[str]) -> None:
    await ready.send("about to sleep")
    try:
        await model.sleep(3600)
    except model.Cancelled:
        print("  cancelled, but I sleep on")
    await model.sleep(0.2)
    print("  slept well")


if __name__ == "__main__":
    for name in ("asyncio", "trio"):
        print(name)
        model = load(name)
        model.run(main, model)
