"""`run_in_executor` with interpreters: the call may block, and it may compute beside the loop."""

import asyncio
import time
from concurrent.futures import InterpreterPoolExecutor


def read_slowly():
    time.sleep(0.05)
    return 42


async def main():
    loop = asyncio.get_running_loop()
    with InterpreterPoolExecutor(max_workers=1) as pool:
        answer = loop.run_in_executor(pool, read_slowly)
        print("meanwhile the loop goes on")
        print("the answer is", await answer)


if __name__ == "__main__":
    asyncio.run(main())
