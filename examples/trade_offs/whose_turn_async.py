"""One task computes and never waits. Does the other one get a turn meanwhile?"""

from concmodels import AsyncModel, load


async def main(model: AsyncModel) -> None:
    noted: list[str] = []
    async with model.TaskGroup() as group:
        group.spawn(note, model, noted)
        group.spawn(compute, model, noted)


async def note(model: AsyncModel, noted: list[str]) -> None:
    await model.sleep(0.02)
    noted.append("I was here")


async def compute(model: AsyncModel, noted: list[str]) -> None:
    end = model.now() + 0.3
    while not noted and model.now() < end:
        pass
    print("the other one had its turn while I computed" if noted else "nobody had a turn until I was done")


if __name__ == "__main__":
    model = load("asyncio")
    model.run(main, model)
