"""One task sends and never has to wait. How many does it send before anybody else has a turn?"""

import asyncio
import math
from collections.abc import Awaitable, Callable

from concmodels import AsyncModel, Channel, SyncModel, load

MESSAGES = 2_000


def main(model: SyncModel) -> int:
    channel, seen = model.Channel(math.inf), list[int]()
    with model.TaskGroup() as group:
        group.spawn(send_all, channel)
        group.spawn(look, channel, seen)
    return seen[0]


def send_all(channel: Channel[int]) -> None:
    for number in range(MESSAGES):
        channel.send(number)


def look(channel: Channel[int], seen: list[int]) -> None:
    seen.append(len(channel))


async def async_main(model: AsyncModel) -> int:
    channel, seen = model.Channel(math.inf), list[int]()
    async with model.TaskGroup() as group:
        group.spawn(async_send_all, channel.send)
        group.spawn(async_look, lambda: len(channel), seen)
    return seen[0]


async def bare_queue() -> int:
    queue, seen = asyncio.Queue[int](), list[int]()
    async with asyncio.TaskGroup() as group:
        group.create_task(async_send_all(queue.put))
        group.create_task(async_look(queue.qsize, seen))
    return seen[0]


async def async_send_all(send: Callable[[int], Awaitable[None]]) -> None:
    for number in range(MESSAGES):
        await send(number)


async def async_look(count: Callable[[], int], seen: list[int]) -> None:
    seen.append(count())


if __name__ == "__main__":
    print("asyncio.Queue by itself:", asyncio.run(bare_queue()), "of", MESSAGES)
    print("the model asyncio:       ", load("asyncio").run(async_main, load("asyncio")), "of", MESSAGES)
    print("the model greenlet:      ", load("greenlet").run(main, load("greenlet")), "of", MESSAGES)
