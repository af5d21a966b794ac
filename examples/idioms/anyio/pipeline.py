"""A task for each stage, which closes its ends of the memory object streams when it is done."""

import anyio
from anyio import create_memory_object_stream


async def count(numbers):
    with numbers:
        for number in range(1, 5):
            await numbers.send(number)


async def square(numbers, squares):
    with numbers, squares:
        async for number in numbers:
            await squares.send(number**2)


async def main():
    send_number, numbers = create_memory_object_stream(1)
    send_square, squares = create_memory_object_stream(1)
    async with anyio.create_task_group() as group:
        group.start_soon(count, send_number)
        group.start_soon(square, numbers, send_square)
        with squares:
            async for number in squares:
                print(number)


if __name__ == "__main__":
    anyio.run(main)
