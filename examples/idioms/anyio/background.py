"""`start` waits until the task says that it has started; the group is cancelled at the end."""

import anyio


async def heartbeat(*, task_status):
    print("heartbeat: started")
    task_status.started()
    try:
        while True:
            await anyio.sleep(0.01)  # a heartbeat
    finally:
        print("heartbeat: stopped")


async def main():
    async with anyio.create_task_group() as group:
        await group.start(heartbeat)
        print("main: working")
        group.cancel_scope.cancel()
    print("main: done")


if __name__ == "__main__":
    anyio.run(main)
