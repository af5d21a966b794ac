"""A task for each stage, and a queue between two of them that is shut down at the end."""

import asyncio


async def items(queue):
    while True:
        try:
            yield await queue.get()
        except asyncio.QueueShutDown:
            return


async def count(numbers):
    for number in range(1, 5):
        await numbers.put(number)
    numbers.shutdown()


async def square(numbers, squares):
    async for number in items(numbers):
        await squares.put(number**2)
    squares.shutdown()


async def main():
    numbers, squares = asyncio.Queue(1), asyncio.Queue(1)
    async with asyncio.TaskGroup() as group:
        group.create_task(count(numbers))
        group.create_task(square(numbers, squares))
        async for number in items(squares):
            print(number)


if __name__ == "__main__":
    asyncio.run(main())
