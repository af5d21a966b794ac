"""`gather` raises the first error and leaves the others running; a `TaskGroup` ends them first."""

import asyncio


async def fail() -> None:
    raise ValueError("no such host")


async def work(log: list[str]) -> None:
    try:
        await asyncio.sleep(0.02)
        log.append("the other one worked on")
    except asyncio.CancelledError:
        log.append("the other one was cancelled")
        raise


async def gathered(log: list[str]) -> None:
    try:
        await asyncio.gather(fail(), work(log))
    except ValueError:
        log.append("gather raised")
    await asyncio.sleep(0.05)


async def grouped(log: list[str]) -> None:
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            group.create_task(work(log))
    except* ValueError:
        log.append("the group raised")


if __name__ == "__main__":
    for main in (gathered, grouped):
        log: list[str] = []
        asyncio.run(main(log))
        print(f"{main.__name__}: {', '.join(log)}")
