"""A task listens at a queue, and notes when it hears nothing for a second; then it is cancelled.

It takes its own cancellation for the end of the second, and listens on. A cancellation comes once.
"""

import asyncio


async def listen(queue: asyncio.Queue[str], heard: list[str]) -> None:
    while len(heard) < 9:
        try:
            heard.append(await asyncio.wait_for(queue.get(), 1))
        except TimeoutError, asyncio.CancelledError:
            heard.append("nothing")


async def main() -> None:
    queue, heard = asyncio.Queue[str](), list[str]()
    listener = asyncio.create_task(listen(queue, heard))
    await asyncio.sleep(0.01)
    queue.put_nowait("hello")
    listener.cancel()
    await asyncio.wait({listener}, timeout=3)
    assert listener.done(), "the listener was cancelled, and still listens"


if __name__ == "__main__":
    asyncio.run(main())
