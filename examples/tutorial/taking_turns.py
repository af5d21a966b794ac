"""Two tasks count to three, first without an `await` in between, then with one."""

from concmodels import AsyncModel, load


async def main(model: AsyncModel) -> None:
    for count in (count_in_one_go, count_and_let_others):
        print(f"{count.__name__}:", end="")
        async with model.TaskGroup() as group:
            group.spawn(count, model, "a")
            group.spawn(count, model, "b")
        print()


async def count_in_one_go(model: AsyncModel, name: str) -> None:
    for number in (1, 2, 3):
        print(f" {name}{number}", end="")


async def count_and_let_others(model: AsyncModel, name: str) -> None:
    for number in (1, 2, 3):
        print(f" {name}{number}", end="")
        await model.sleep(0)


if __name__ == "__main__":
    model = load("asyncio")
    model.run(main, model)
