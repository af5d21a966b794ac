"""A worker gets jobs from a queue until it is told to stop. What is not done then is still in the queue.

Of two tasks that are waited for, both may be done. So the worker first looks whether it has got a job.
"""

import asyncio


async def work(queue: asyncio.Queue[str], stop: asyncio.Event, done: list[str]) -> None:
    while True:
        getting, stopping = asyncio.create_task(queue.get()), asyncio.create_task(stop.wait())
        await asyncio.wait({getting, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if getting.done():
            done.append(getting.result())
        if stopping.done():
            getting.cancel()
            return
        stopping.cancel()


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
