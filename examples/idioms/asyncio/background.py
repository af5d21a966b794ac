"""An event says that the task has started; it is cancelled when it is needed no more."""

import asyncio


async def heartbeat(started):
    print("heartbeat: started")
    started.set()
    try:
        while True:
            await asyncio.sleep(0.01)  # a heartbeat
    finally:
        print("heartbeat: stopped")


async def main():
    started = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(heartbeat(started))
        await started.wait()
        print("main: working")
        task.cancel()
    print("main: done")


if __name__ == "__main__":
    asyncio.run(main())
