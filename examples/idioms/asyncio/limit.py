"""`asyncio.timeout` around a `TaskGroup` cancels its tasks; each task knows whether it was cancelled."""

import asyncio


async def copy():
    await asyncio.sleep(60)


async def main():
    tasks = {}
    try:
        async with (
            asyncio.timeout(0.05),
            asyncio.TaskGroup() as group,
        ):
            for mirror in ("east", "west"):
                tasks[mirror] = group.create_task(copy())
    except TimeoutError:
        pass
    for mirror, task in tasks.items():
        print(
            f"{mirror}: {'called off' if task.cancelled() else 'copied'}"
        )


if __name__ == "__main__":
    asyncio.run(main())
