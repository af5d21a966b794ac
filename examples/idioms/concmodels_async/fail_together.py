"""A group cancels the other tasks when one fails, waits for them, and raises a group of errors."""

from concmodels import AsyncChannel, load

model = load("asyncio")


async def patient(ready: AsyncChannel[None]) -> None:
    try:
        await ready.send(None)
        await model.sleep(60)
    finally:
        print("tidied up")


async def clumsy(ready: AsyncChannel[None]) -> None:
    await ready.receive()
    raise OSError("disk full")


async def main() -> None:
    ready = model.Channel()
    try:
        async with model.TaskGroup() as group:
            group.spawn(patient, ready)
            group.spawn(clumsy, ready)
    except* OSError as failed:
        print("failed:", *failed.exceptions)


if __name__ == "__main__":
    model.run(main)
