"""A channel says that the task has started; the group is cancelled at the end."""

from concmodels import AsyncChannel, load

model = load("asyncio")


async def heartbeat(started: AsyncChannel[None]) -> None:
    print("heartbeat: started")
    try:
        await started.send(None)
        while True:
            await model.sleep(0.01)  # a heartbeat
    finally:
        print("heartbeat: stopped")


async def main() -> None:
    started = model.Channel()
    async with model.TaskGroup() as group:
        group.spawn(heartbeat, started)
        await started.receive()
        print("main: working")
        group.cancel()
    print("main: done")


if __name__ == "__main__":
    model.run(main)
