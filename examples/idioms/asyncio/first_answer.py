"""`wait` returns at the first result; the group waits until the cancelled tasks have ended."""

import asyncio

MIRRORS = {"near": 0.01, "far": 60, "farther": 60}


async def ask(mirror, delay):
    await asyncio.sleep(delay)
    return mirror


async def main():
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(ask(mirror, delay))
            for mirror, delay in MIRRORS.items()
        ]
        done, pending = await asyncio.wait(
            tasks, return_when=asyncio.FIRST_COMPLETED
        )
        for task in pending:
            task.cancel()
    print(done.pop().result(), "answered")


if __name__ == "__main__":
    asyncio.run(main())
