"""A group cancels the other tasks when one fails, waits for them, and raises a group of errors."""

from concmodels import load


async def patient(model, ready):
    try:
        await ready.send(None)
        await model.sleep(60)
    finally:
        print("tidied up")


async def clumsy(ready):
    await ready.receive()
    raise OSError("disk full")


async def main(model):
    ready = model.Channel()
    try:
        async with model.TaskGroup() as group:
            group.spawn(patient, model, ready)
            group.spawn(clumsy, ready)
    except* OSError as failed:
        print("failed:", *failed.exceptions)


if __name__ == "__main__":
    model = load("asyncio")
    model.run(main, model)
