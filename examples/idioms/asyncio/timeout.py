"""`asyncio.timeout` cancels what is inside it, and turns the cancellation into a TimeoutError."""

import asyncio


async def ask():
    await asyncio.sleep(60)
    return "hello"


async def main():
    try:
        async with asyncio.timeout(0.05):
            print(await ask())
    except TimeoutError:
        print("no answer in time")


if __name__ == "__main__":
    asyncio.run(main())
