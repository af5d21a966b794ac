"""One task sends and never has to wait. How many does it send before anybody else has a turn?"""

import asyncio
import math

from concmodels import load

MESSAGES = 2_000


def main(model):
    channel, seen = model.Channel(math.inf), []
    with model.TaskGroup() as group:
        group.spawn(send_all, channel)
        group.spawn(look, channel, seen)
    return seen[0]


def send_all(channel):
    for number in range(MESSAGES):
        channel.send(number)


def look(channel, seen):
    seen.append(len(channel))


async def async_main(model):
    channel, seen = model.Channel(math.inf), []
    async with model.TaskGroup() as group:
        group.spawn(async_send_all, channel.send)
        group.spawn(async_look, lambda: len(channel), seen)
    return seen[0]


async def bare_queue():
    queue, seen = asyncio.Queue(), []
    async with asyncio.TaskGroup() as group:
        group.create_task(async_send_all(queue.put))
        group.create_task(async_look(queue.qsize, seen))
    return seen[0]


async def async_send_all(send):
    for number in range(MESSAGES):
        await send(number)


async def async_look(count, seen):
    seen.append(count())


if __name__ == "__main__":
    print("asyncio.Queue by itself:", asyncio.run(bare_queue()), "of", MESSAGES)
    print("the model asyncio:       ", load("asyncio").run(async_main, load("asyncio")), "of", MESSAGES)
    print("the model greenlet:      ", load("greenlet").run(main, load("greenlet")), "of", MESSAGES)
