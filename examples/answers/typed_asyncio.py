"""The same as `typed_threads.py`, in an async model."""

from concmodels import AsyncChannel, load

model = load("asyncio")


async def main(count: int) -> int:
    """Return the sum of the squares of so many numbers."""
    numbers: AsyncChannel[int] = model.Channel(8)
    async with model.TaskGroup() as group:
        total = group.spawn(add_squares, numbers)
        with numbers:
            for number in range(count):
                await numbers.send(number)
    return await total.result()


async def add_squares(numbers: AsyncChannel[int]) -> int:
    """Receive numbers until the channel is closed, and return the sum of their squares."""
    total = 0
    async for number in numbers:
        total += number * number
    return total


if __name__ == "__main__":
    print(model.run(main, 5))
