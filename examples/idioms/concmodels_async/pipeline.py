"""A task for each stage, and a channel between two of them that is closed at the end."""

from concmodels import AsyncChannel, load

model = load("asyncio")


async def count(numbers: AsyncChannel[int]) -> None:
    with numbers:
        for number in range(1, 5):
            await numbers.send(number)


async def square(
    numbers: AsyncChannel[int], squares: AsyncChannel[int]
) -> None:
    with squares:
        async for number in numbers:
            await squares.send(number**2)


async def main() -> None:
    numbers, squares = model.Channel(1), model.Channel(1)
    async with model.TaskGroup() as group:
        group.spawn(count, numbers)
        group.spawn(square, numbers, squares)
        async for number in squares:
            print(number)


if __name__ == "__main__":
    model.run(main)
