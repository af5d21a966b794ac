"""`asyncio.Queue` is for one loop: what another thread puts in is noticed when the loop happens to wake up."""

import asyncio
import threading
import time
from collections.abc import Callable


async def receive(send: Callable[[asyncio.AbstractEventLoop, asyncio.Queue[str]], None]) -> str:
    queue: asyncio.Queue[str] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    thread = threading.Timer(0.05, send, (loop, queue))
    thread.start()
    loop.call_later(0.4, lambda: None)  # the next time that the loop wakes up by itself
    started = time.monotonic()
    await queue.get()
    thread.join()
    return "at once" if time.monotonic() - started < 0.3 else "when the loop woke up for something else"


def directly(loop: asyncio.AbstractEventLoop, queue: asyncio.Queue[str]) -> None:
    queue.put_nowait("news")


def through_the_loop(loop: asyncio.AbstractEventLoop, queue: asyncio.Queue[str]) -> None:
    loop.call_soon_threadsafe(queue.put_nowait, "news")


if __name__ == "__main__":
    print("put_nowait:", asyncio.run(receive(directly)))
    print("call_soon_threadsafe:", asyncio.run(receive(through_the_loop)))
