"""A worker gets jobs from a queue until it is told to stop. What is not done then is still in the queue.

If a job and the request to stop come together, the job has left the queue already: to cancel a `get` that is done does
nothing, and its item is lost.
"""

import asyncio


async def work(queue: asyncio.Queue[str], stop: asyncio.Event, done: list[str]) -> None:
    while True:
        getting, stopping = asyncio.create_task(queue.get()), asyncio.create_task(stop.wait())
        await asyncio.wait({getting, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if stopping.done():
            getting.cancel()
            return
        stopping.cancel()
        done.append(getting.result())


async def send(queue: asyncio.Queue[str]) -> None:
    await asyncio.sleep(0.01)
    queue.put_nowait("a job")


async def main() -> None:
    queue, stop, done = asyncio.Queue[str](), asyncio.Event(), list[str]()
    async with asyncio.TaskGroup() as group:
        group.create_task(work(queue, stop, done))
        group.create_task(send(queue))
        await asyncio.sleep(0.01)
        stop.set()
    assert len(done) + queue.qsize() == 1, "the job is lost"


if __name__ == "__main__":
    asyncio.run(main())
