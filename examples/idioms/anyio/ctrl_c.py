"""A signal receiver in the group: it cancels the group, in the same way on asyncio and on trio."""

import signal

import anyio


async def worker():
    try:
        print("working", flush=True)
        await anyio.sleep(3600)
    finally:
        print("tidied up")


async def main():
    with anyio.open_signal_receiver(signal.SIGINT) as signals:
        async with anyio.create_task_group() as group:
            group.start_soon(worker)
            async for _ in signals:
                group.cancel_scope.cancel()
                break
    print("interrupted")


if __name__ == "__main__":
    anyio.run(main)
