"""A semaphore inside the task limits how many work. Before the task, it limits how many there are."""

import asyncio

JOBS, AT_ONCE = 1000, 10


async def work(seen):
    seen.append(len(asyncio.all_tasks()) - 1)
    await asyncio.sleep(0.001)


async def inside(group, limit, seen):
    async def one():
        async with limit:
            await work(seen)

    for _ in range(JOBS):
        group.create_task(one())


async def before(group, limit, seen):
    for _ in range(JOBS):
        await limit.acquire()
        group.create_task(work(seen)).add_done_callback(lambda _: limit.release())


async def main(how):
    seen = []
    async with asyncio.TaskGroup() as group:
        await how(group, asyncio.Semaphore(AT_ONCE), seen)
    print(f"semaphore {how.__name__:6} the task: at most {max(seen):4} tasks")


if __name__ == "__main__":
    asyncio.run(main(inside))
    asyncio.run(main(before))
