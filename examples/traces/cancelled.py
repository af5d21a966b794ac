"""A group is cancelled. One task tidies up and ends; the other one catches the cancellation and sleeps on."""

import sys

from concmodels import AsyncModel, load, trace


async def main(model: AsyncModel) -> None:
    async with model.TaskGroup() as group:
        group.spawn(polite, model, name="polite")
        group.spawn(stubborn, model, name="stubborn")
        await model.sleep(0.01)
        group.cancel()


async def polite(model: AsyncModel) -> None:
    await model.sleep(3600)


async def stubborn(model: AsyncModel) -> None:
    try:
        await model.sleep(3600)
    except model.Cancelled:
        pass
    await model.sleep(0.01)


if __name__ == "__main__":
    with trace.to(sys.argv[2]):
        model = load(sys.argv[1])
        model.run(main, model)
