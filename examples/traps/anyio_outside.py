"""anyio's cancel scopes reach the tasks that anyio started. One that asyncio started runs on."""

import asyncio

import anyio


async def work(name: str, go_on: anyio.Event, log: list[str]) -> None:
    try:
        await go_on.wait()
        log.append(f"{name} finished")
    except anyio.get_cancelled_exc_class():
        log.append(f"{name} was cancelled")
        raise


async def main() -> None:
    log, go_on = list[str](), anyio.Event()
    async with anyio.create_task_group() as group:
        group.start_soon(work, "anyio's task", go_on, log)
        stranger = asyncio.create_task(work("asyncio's task", go_on, log))
        await anyio.sleep(0.01)
        group.cancel_scope.cancel()
    go_on.set()
    await stranger
    print("; ".join(log))


if __name__ == "__main__":
    anyio.run(main)
