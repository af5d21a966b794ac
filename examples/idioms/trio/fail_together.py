"""A nursery cancels the other tasks when one fails, waits for them, and raises a group of errors."""

import trio


async def patient(*, task_status):
    try:
        task_status.started()
        await trio.sleep(60)
    finally:
        print("tidied up")


async def clumsy():
    raise OSError("disk full")


async def main():
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(patient)  # until it waits
            nursery.start_soon(clumsy)
    except* OSError as failed:
        print("failed:", *failed.exceptions)


if __name__ == "__main__":
    trio.run(main)
