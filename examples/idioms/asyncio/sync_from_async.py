"""`to_thread` calls a blocking function in a thread; the loop goes on."""

import asyncio
import time


def read_slowly():
    time.sleep(0.05)
    return 42


async def main():
    async with asyncio.TaskGroup() as group:
        answer = group.create_task(
            asyncio.to_thread(read_slowly)
        )
        await asyncio.sleep(0)  # the call begins
        print("meanwhile the loop goes on")
    print("the answer is", answer.result())


if __name__ == "__main__":
    asyncio.run(main())
