"""An item that is handed over in a future's result is lost when its receiver is cancelled in the same turn."""

import asyncio

from concmodels import AsyncChannel, AsyncModel, load


async def receive(future: asyncio.Future[str], got: list[str]) -> None:
    got.append(await future)


async def by_hand() -> None:
    future, got = asyncio.get_running_loop().create_future(), list[str]()
    task = asyncio.create_task(receive(future, got))
    await asyncio.sleep(0)
    future.set_result("parcel")
    task.cancel()
    await asyncio.wait([task])
    print("by hand: received", got, "and no task has it any more")


async def in_the_model(model: AsyncModel) -> None:
    channel, got = model.Channel(1), list[str]()
    async with model.TaskGroup() as group:
        task = group.spawn(take, channel, got)
        await model.sleep(0)
        channel.send_nowait("parcel")
        task.cancel()
    print("the model: received", got, "and", len(channel), "left in the channel")


async def take(channel: AsyncChannel[str], got: list[str]) -> None:
    got.append(await channel.receive())


if __name__ == "__main__":
    asyncio.run(by_hand())
    model = load("asyncio")
    model.run(in_the_model, model)
