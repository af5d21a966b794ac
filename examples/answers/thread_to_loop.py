"""A thread that blocks feeds a task in a loop: a bounded queue of the loop between them, filled from the thread."""

import asyncio


def read(lines: list[str], queue: asyncio.Queue[str], loop: asyncio.AbstractEventLoop) -> None:
    for line in lines:  # any source that blocks: a serial port, a driver, a file
        put = asyncio.run_coroutine_threadsafe(queue.put(line), loop)
        put.result()  # waits while the queue is full
    loop.call_soon_threadsafe(queue.shutdown)


async def handle(queue: asyncio.Queue[str]) -> None:
    while True:
        try:
            line = await queue.get()
        except asyncio.QueueShutDown:
            return
        print("handled", line)
        await asyncio.sleep(0.01)


async def main() -> None:
    queue, loop = asyncio.Queue[str](2), asyncio.get_running_loop()
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.to_thread(read, ["one", "two", "three"], queue, loop))
        group.create_task(handle(queue))


if __name__ == "__main__":
    asyncio.run(main())
