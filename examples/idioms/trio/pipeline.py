"""A task for each stage, which closes its ends of the memory channels when it is done."""

import trio


async def count(numbers):
    async with numbers:
        for number in range(1, 5):
            await numbers.send(number)


async def square(numbers, squares):
    async with numbers, squares:
        async for number in numbers:
            await squares.send(number**2)


async def main():
    send_number, numbers = trio.open_memory_channel(1)
    send_square, squares = trio.open_memory_channel(1)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(count, send_number)
        nursery.start_soon(square, numbers, send_square)
        async with squares:
            async for number in squares:
                print(number)


if __name__ == "__main__":
    trio.run(main)
