"""Tasks that take jobs from a memory channel until it is closed, in a nursery that waits for them."""

import trio


async def fetch(page):
    await trio.sleep(0.01)  # here a request would wait
    return f"page {page}"


async def worker(jobs, results):
    async for page in jobs:
        results[page] = await fetch(page)


async def main():
    send_job, jobs = trio.open_memory_channel(0)
    results = {}
    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(worker, jobs, results)
        async with send_job:
            for page in range(1, 7):
                await send_job.send(page)
    print([results[page] for page in range(1, 7)])


if __name__ == "__main__":
    trio.run(main)
