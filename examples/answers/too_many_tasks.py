"""A semaphore inside the task limits how many work. Before the task, it limits how many there are."""

import asyncio
from collections.abc import Awaitable, Callable

JOBS, AT_ONCE = 1000, 10


async def work(seen: list[int]) -> None:
    seen.append(len(asyncio.all_tasks()) - 1)
    await asyncio.sleep(0.001)


async def inside(group: asyncio.TaskGroup, limit: asyncio.Semaphore, seen: list[int]) -> None:
    async def one() -> None:
        async with limit:
            await work(seen)

    for _ in range(JOBS):
        group.create_task(one())


async def before(group: asyncio.TaskGroup, limit: asyncio.Semaphore, seen: list[int]) -> None:
    for _ in range(JOBS):
        await limit.acquire()
        group.create_task(work(seen)).add_done_callback(lambda _: limit.release())


async def main(how: Callable[[asyncio.TaskGroup, asyncio.Semaphore, list[int]], Awaitable[None]]) -> None:
    seen: list[int] = []
    async with asyncio.TaskGroup() as group:
        await how(group, asyncio.Semaphore(AT_ONCE), seen)
    print(f"semaphore {how.__name__:6} the task: at most {max(seen):4} tasks")


if __name__ == "__main__":
    asyncio.run(main(inside))
    asyncio.run(main(before))
