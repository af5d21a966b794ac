"""A group cancels the other tasks when one fails, waits for them, and raises a group of errors."""

import asyncio


async def patient():
    try:
        await asyncio.sleep(60)
    finally:
        print("tidied up")


async def clumsy():
    raise OSError("disk full")


async def main():
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(patient())
            group.create_task(clumsy())
    except* OSError as failed:
        print("failed:", *failed.exceptions)


if __name__ == "__main__":
    asyncio.run(main())
