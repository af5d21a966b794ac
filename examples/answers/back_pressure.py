"""A fast producer and a slow consumer, with a queue that has a bound and with one that has none."""

import asyncio
import tracemalloc

ITEMS, SIZE = 2000, 10_000


async def produce(queue: asyncio.Queue[bytearray]) -> None:
    for _ in range(ITEMS):
        await queue.put(bytearray(SIZE))
        await asyncio.sleep(0)
    queue.shutdown()


async def consume(queue: asyncio.Queue[bytearray]) -> int:
    most = 0
    while True:
        try:
            await queue.get()
        except asyncio.QueueShutDown:
            return most
        most = max(most, queue.qsize() + 1)
        for _ in range(10):  # ten turns for one of the producer
            await asyncio.sleep(0)


async def main(bound: int) -> None:
    queue: asyncio.Queue[bytearray] = asyncio.Queue(bound)
    tracemalloc.start()
    async with asyncio.TaskGroup() as group:
        group.create_task(produce(queue))
        consumer = group.create_task(consume(queue))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    name = f"at most {bound}" if bound else "no bound"
    print(f"{name:10}: {consumer.result():5} items waited, {peak / 2**20:5.1f} MiB at the peak")


if __name__ == "__main__":
    asyncio.run(main(0))
    asyncio.run(main(10))
