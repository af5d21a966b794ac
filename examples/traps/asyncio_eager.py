"""With the eager task factory a task begins inside `create_task`, before its creator goes on."""

import asyncio
from collections.abc import Callable
from typing import Any


async def child(log: list[str]) -> None:
    log.append("child begins")
    await asyncio.sleep(0)
    log.append("child ends")


async def main(factory: Callable[..., asyncio.Task[Any]] | None) -> str:
    asyncio.get_running_loop().set_task_factory(factory)
    log: list[str] = []
    task = asyncio.create_task(child(log))
    log.append("creator goes on")
    await task
    return ", ".join(log)


if __name__ == "__main__":
    print("lazy: ", asyncio.run(main(None)))
    print("eager:", asyncio.run(main(asyncio.eager_task_factory)))
