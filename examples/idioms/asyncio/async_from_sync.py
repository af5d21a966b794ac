"""`asyncio.run` where no loop runs; from another thread, a future of the loop that runs."""

import asyncio


async def fetch():
    await asyncio.sleep(0.01)
    return 42


def in_a_thread(loop):
    return asyncio.run_coroutine_threadsafe(
        fetch(), loop
    ).result()


async def main():
    loop = asyncio.get_running_loop()
    print(
        "from a thread:",
        await asyncio.to_thread(in_a_thread, loop),
    )


if __name__ == "__main__":
    print("from a plain program:", asyncio.run(fetch()))
    asyncio.run(main())
