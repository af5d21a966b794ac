"""`to_thread.run_sync` calls a blocking function in a thread; other tasks go on."""

import time

import anyio
import anyio.to_thread


def read_slowly():
    time.sleep(0.05)
    return 42


async def go_on():
    print("meanwhile the loop goes on")


async def main():
    async with anyio.create_task_group() as group:
        group.start_soon(go_on)
        answer = await anyio.to_thread.run_sync(read_slowly)
    print("the answer is", answer)


if __name__ == "__main__":
    anyio.run(main)
