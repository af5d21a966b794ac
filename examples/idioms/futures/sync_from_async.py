"""`run_in_executor` gives the loop something to await; with a ProcessPoolExecutor the call may also compute."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor


def read_slowly():
    time.sleep(0.05)
    return 42


async def main():
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor() as pool:
        answer = loop.run_in_executor(pool, read_slowly)
        print("meanwhile the loop goes on")
        print("the answer is", await answer)


if __name__ == "__main__":
    asyncio.run(main())
