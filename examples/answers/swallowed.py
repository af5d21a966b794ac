"""A task swallows a cancellation, with and without saying so: what becomes of its next group, and of a timeout."""

import asyncio


async def swallow(polite):
    try:
        await asyncio.sleep(10)
    except asyncio.CancelledError:
        if polite:
            asyncio.current_task().uncancel()  # the request has been dealt with


async def fail():
    raise OSError("disk full")


async def later(polite):
    await swallow(polite)
    print(f"cancelling() is {asyncio.current_task().cancelling()}", end="; ")
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
    except* OSError:
        print("the group failed, and that was handled", end="; ")
    try:
        await asyncio.sleep(0)
        print("the task goes on")
    except asyncio.CancelledError:
        print("the next wait was cancelled")


async def in_time():
    async with asyncio.timeout(0.05) as clock:
        await swallow(polite=False)
    print(f"the time was over: {clock.expired()}, and no TimeoutError")


async def main():
    for polite in (False, True):
        task = asyncio.create_task(later(polite))
        await asyncio.sleep(0)
        task.cancel()
        await task
    await in_time()


if __name__ == "__main__":
    asyncio.run(main())
