"""Tasks that take jobs from a memory object stream until it is closed."""

import anyio


async def fetch(page):
    await anyio.sleep(0.01)  # here a request would wait
    return f"page {page}"


async def worker(jobs, results):
    async for page in jobs:
        results[page] = await fetch(page)


async def main():
    send_job, jobs = anyio.create_memory_object_stream()
    results = {}
    with jobs:
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(worker, jobs, results)
            with send_job:
                for page in range(1, 7):
                    await send_job.send(page)
    print([results[page] for page in range(1, 7)])


if __name__ == "__main__":
    anyio.run(main)
