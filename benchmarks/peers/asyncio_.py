"""Queues between asyncio's tasks: its own (also on uvloop's event loop), and those that could reach threads as well."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any

from benchmarks.peers._ring import AsyncLink, size


def lap(run: Callable[..., Any], peer: str, capacities: Sequence[float | None], work: Any) -> Any:
    """Start the loop that belongs to this peer, and a program on queues of these capacities in it."""
    new_loop = None
    if peer == "asyncio.Queue on uvloop":
        import uvloop

        new_loop = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(main(run, peer, capacities, work))


async def main(run: Callable[..., Any], peer: str, capacities: Sequence[float | None], work: Any) -> Any:
    """Make the queues and run the program."""
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as group:

        def spawn(function: Callable[..., Any], *args: Any) -> None:
            group.create_task(function(*args))

        return await run(spawn, [NEW[peer](size(capacity), stack) for capacity in capacities], work)


def new_queue(size: int, _: AsyncExitStack) -> AsyncLink:
    queue: asyncio.Queue[Any] = asyncio.Queue(size)
    return queue.put, queue.get


def new_patient(size: int, _: AsyncExitStack) -> AsyncLink:
    queue: asyncio.Queue[Any] = asyncio.Queue(size)

    async def put(item: Any) -> None:
        await queue.put(item)
        await asyncio.sleep(0)

    return put, queue.get


def new_janus(size: int, stack: AsyncExitStack) -> AsyncLink:
    import janus

    queue: Any = janus.Queue(size)
    stack.push_async_callback(queue.aclose)
    return queue.async_q.put, queue.async_q.get


def new_culsans(size: int, _: AsyncExitStack) -> AsyncLink:
    import culsans

    queue: Any = culsans.Queue(size)
    return queue.async_q.put, queue.async_q.get


NEW: dict[str, Callable[[int, AsyncExitStack], AsyncLink]] = {
    "asyncio.Queue": new_queue,
    "asyncio.Queue, a turn each": new_patient,
    "asyncio.Queue on uvloop": new_queue,
    "janus.Queue (async)": new_janus,
    "culsans.Queue (async)": new_culsans,
}
