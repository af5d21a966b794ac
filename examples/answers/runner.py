"""`asyncio.Runner`: one loop for several calls, and the place to say which loop it is."""

import asyncio
import sys


async def connect() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


async def use(loop: asyncio.AbstractEventLoop) -> bool:
    return loop is asyncio.get_running_loop()


def new_loop() -> asyncio.AbstractEventLoop:
    if sys.platform != "linux":
        return asyncio.new_event_loop()
    return asyncio.SelectorEventLoop()  # with uvloop installed: return uvloop.new_event_loop()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=new_loop) as runner:
        loop = runner.run(connect())
        print("the same loop in the second call:", runner.run(use(loop)))
    print("closed at the end:", loop.is_closed())
    print("asyncio.run makes another one each time:", not asyncio.run(use(loop)))
