"""Tasks that take jobs from a queue until it is shut down, in a group that waits for them."""

import asyncio


async def fetch(page):
    await asyncio.sleep(0.01)  # here a request would wait
    return f"page {page}"


async def worker(jobs, results):
    while True:
        try:
            page = await jobs.get()
        except asyncio.QueueShutDown:
            return
        results[page] = await fetch(page)


async def main():
    jobs, results = asyncio.Queue(), {}
    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(worker(jobs, results))
        for page in range(1, 7):
            await jobs.put(page)
        jobs.shutdown()  # what is in it is still done
    print([results[page] for page in range(1, 7)])


if __name__ == "__main__":
    asyncio.run(main())
