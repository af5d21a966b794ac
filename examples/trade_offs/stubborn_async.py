"""A task that is cancelled once, and swallows it: is its next wait disturbed too?"""

from concmodels import AsyncModel, load


async def main(model: AsyncModel) -> None:
    async with model.TaskGroup() as group:
        task = group.spawn(stubborn, model)
        await model.sleep(0.1)
        task.cancel()


async def stubborn(model: AsyncModel) -> None:
    for wait in ("first", "second", "third"):
        try:
            await model.sleep(0.3)
        except model.Cancelled:
            print(f"the {wait} wait: cancelled", flush=True)
        else:
            print(f"the {wait} wait: undisturbed", flush=True)


if __name__ == "__main__":
    model = load("asyncio")
    model.run(main, model)
