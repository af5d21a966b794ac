"""Five tasks wait. How many stacks does a thread dump show, and what shows the others?"""

import asyncio
import gc
import sys
from collections.abc import Callable

import greenlet

from concmodels import AsyncChannel, AsyncModel, Channel, SyncModel, load

TASKS = 5


def main(model: SyncModel, seen: Callable[[], int]) -> tuple[int, int]:
    stop = model.Channel()
    with model.TaskGroup() as group, stop:
        for _ in range(TASKS):
            group.spawn(wait, stop)
        model.sleep(0.05)
        return stacks(), seen()


async def async_main(model: AsyncModel, seen: Callable[[], int]) -> tuple[int, int]:
    stop = model.Channel()
    async with model.TaskGroup() as group:
        with stop:
            for _ in range(TASKS):
                group.spawn(async_wait, stop)
            await model.sleep(0.05)
            return stacks(), seen()


def stacks() -> int:
    return len(sys._current_frames())


def wait(stop: Channel[None]) -> None:
    for _ in stop:
        pass


async def async_wait(stop: AsyncChannel[None]) -> None:
    async for _ in stop:
        pass


def greenlets() -> int:
    return sum(isinstance(it, greenlet.greenlet) and it.parent is not None for it in gc.get_objects())


def show(model: str, looked: tuple[int, int]) -> None:
    dumped, found = looked
    print(f"{model:9} stacks in a thread dump: {dumped}, tasks: {found}")


if __name__ == "__main__":
    show("threads", load("threads").run(main, load("threads"), stacks))
    show("greenlet", load("greenlet").run(main, load("greenlet"), greenlets))
    show("asyncio", load("asyncio").run(async_main, load("asyncio"), lambda: len(asyncio.all_tasks())))
