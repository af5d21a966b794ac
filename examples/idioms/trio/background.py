"""`nursery.start` waits until the task says that it has started; the nursery is cancelled at the end."""

import trio


async def heartbeat(*, task_status):
    print("heartbeat: started")
    task_status.started()
    try:
        while True:
            await trio.sleep(0.01)  # a heartbeat
    finally:
        print("heartbeat: stopped")


async def main():
    async with trio.open_nursery() as nursery:
        await nursery.start(heartbeat)
        print("main: working")
        nursery.cancel_scope.cancel()
    print("main: done")


if __name__ == "__main__":
    trio.run(main)
