"""Two tasks and two channels: one squares what the other sends. Async."""

from concmodels import AsyncChannel, AsyncModel, load


async def main(model: AsyncModel) -> None:
    numbers, squares = model.Channel(2), model.Channel(2)
    async with model.TaskGroup() as group:
        group.spawn(square, numbers, squares)
        for number in (1, 2, 3):
            await numbers.send(number)
            print(number, "squared is", await squares.receive())
        numbers.close()


async def square(numbers: AsyncChannel[int], squares: AsyncChannel[int]) -> None:
    async for number in numbers:
        await squares.send(number * number)


if __name__ == "__main__":
    model = load("asyncio")
    model.run(main, model)
