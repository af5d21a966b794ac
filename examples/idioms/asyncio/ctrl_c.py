"""Ctrl-C cancels the main task, whose group cancels the others; then `run` raises KeyboardInterrupt."""

import asyncio


async def worker():
    try:
        print("working", flush=True)
        await asyncio.sleep(3600)
    finally:
        print("tidied up")


async def main():
    async with asyncio.TaskGroup() as group:
        group.create_task(worker())


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        print("interrupted")
