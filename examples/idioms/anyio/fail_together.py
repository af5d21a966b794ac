"""A task group cancels the other tasks when one fails, waits for them, and raises a group of errors."""

import anyio


async def patient(*, task_status):
    try:
        task_status.started()
        await anyio.sleep(60)
    finally:
        print("tidied up")


async def clumsy():
    raise OSError("disk full")


async def main():
    try:
        async with anyio.create_task_group() as group:
            await group.start(patient)  # until it waits
            group.start_soon(clumsy)
    except* OSError as failed:
        print("failed:", *failed.exceptions)


if __name__ == "__main__":
    anyio.run(main)
