"""A task is cancelled before it has run a line. Does its `finally` run?"""

import asyncio
from collections.abc import Awaitable, Callable

import anyio
import trio


async def child(library: str, sleep: Callable[[float], Awaitable[object]], begun: list[str]) -> None:
    begun.append(library)
    try:
        await sleep(60)
    finally:
        print(f"{library}: the finally has run")


async def in_asyncio(begun: list[str]) -> None:
    task = asyncio.create_task(child("asyncio", asyncio.sleep, begun))
    task.cancel()
    await asyncio.wait([task])


async def in_a_group(begun: list[str]) -> None:
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(child("asyncio's group", asyncio.sleep, begun))
            raise OSError("the body fails at once")
    except* OSError:
        pass


async def in_trio(begun: list[str]) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(child, "trio", trio.sleep, begun)
        nursery.cancel_scope.cancel()


async def in_anyio(begun: list[str]) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(child, "anyio", anyio.sleep, begun)
        group.cancel_scope.cancel()


if __name__ == "__main__":
    begun: list[str] = []
    asyncio.run(in_asyncio(begun))
    asyncio.run(in_a_group(begun))
    trio.run(in_trio, begun)
    anyio.run(in_anyio, begun)
    for library in ("asyncio", "asyncio's group", "trio", "anyio"):
        print(f"{library}: the child", "had begun" if library in begun else "has not run a line")
