"""A task swallows a cancellation, with and without saying so: what becomes of its next group, and of a timeout."""

import asyncio


async def swallow(polite: bool) -> None:
    try:
        await asyncio.sleep(10)
    except asyncio.CancelledError:
        if polite:
            asyncio.current_task().uncancel()  # type: ignore[union-attr]  # the request has been dealt with


async def fail() -> None:
    raise OSError("disk full")


async def later(polite: bool) -> None:
    await swallow(polite)
    print(f"cancelling() is {asyncio.current_task().cancelling()}", end="; ")  # type: ignore[union-attr]
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


async def in_time() -> None:
    async with asyncio.timeout(0.05) as clock:
        await swallow(polite=False)
    print(f"the time was over: {clock.expired()}, and no TimeoutError")


async def main() -> None:
    for polite in (False, True):
        task = asyncio.create_task(later(polite))
        await asyncio.sleep(0)
        task.cancel()
        await task
    await in_time()


if __name__ == "__main__":
    asyncio.run(main())
