"""What an eager task saves: nothing waits here, so no task has to go through the loop."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

TASKS = 20_000
cache = {"key": "value"}


async def look_up(key: str) -> str:
    return cache[key]  # only a miss would wait


async def main(factory: Callable[..., asyncio.Task[Any]] | None) -> float:
    asyncio.get_running_loop().set_task_factory(factory)
    begin = time.perf_counter()
    for _ in range(TASKS):
        await asyncio.create_task(look_up("key"))
    return (time.perf_counter() - begin) / TASKS


if __name__ == "__main__":
    print(f"lazy:  {asyncio.run(main(None)) * 1e6:.1f} µs a task")
    print(f"eager: {asyncio.run(main(asyncio.eager_task_factory)) * 1e6:.1f} µs a task")
