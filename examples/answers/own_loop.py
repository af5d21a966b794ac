"""A thread's way into a loop, used in the loop's own thread: it waits for what can't begin while it waits."""

import asyncio


async def answer() -> int:
    return 42


async def main() -> None:
    loop = asyncio.get_running_loop()
    future = asyncio.run_coroutine_threadsafe(answer(), loop)
    try:
        print("with result():", future.result(timeout=0.2))  # blocks the thread that would run `answer`
    except TimeoutError:
        print("with result(): nothing, the loop stood still")
    print("with await:", await answer())


if __name__ == "__main__":
    asyncio.run(main())
