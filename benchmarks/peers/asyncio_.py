"""Queues between asyncio's tasks: its own (also on uvloop's event loop), and those that could reach threads as well."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from math import inf
from typing import Any

from benchmarks.peers import _ring
from benchmarks.peers._ring import AsyncLink


def stream(peer: str, nodes: int, messages: int, capacity: float) -> float:
    """Return the seconds of the ring with all messages under way."""
    return lap(_ring.async_stream, peer, nodes, messages, capacity)


def token(peer: str, nodes: int, messages: int) -> float:
    """Return the seconds of the ring with one message under way."""
    return lap(_ring.async_token, peer, nodes, messages, inf)


def lap(run: Callable[..., Any], peer: str, nodes: int, messages: int, capacity: float) -> float:
    """Start the loop that belongs to this peer, and the ring in it."""
    new_loop = None
    if peer == "asyncio.Queue on uvloop":
        import uvloop

        new_loop = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(main(run, peer, nodes + 2, messages, capacity))


async def main(run: Callable[..., Any], peer: str, count: int, messages: int, capacity: float) -> float:
    """Make the queues of a ring and run it."""
    size = 0 if capacity == inf else int(capacity)
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as group:

        def spawn(function: Callable[..., Any], *args: Any) -> None:
            group.create_task(function(*args))

        links = [NEW[peer](size, stack) for _ in range(count)]
        took: float = await run(spawn, links, messages)
        return took


def new_queue(size: int, _: AsyncExitStack) -> AsyncLink:
    queue: asyncio.Queue[Any] = asyncio.Queue(size)
    return queue.put, queue.get


def new_janus(size: int, stack: AsyncExitStack) -> AsyncLink:
    import janus

    queue: Any = janus.Queue(size)
    stack.push_async_callback(queue.aclose)
    return queue.async_q.put, queue.async_q.get


def new_culsans(size: int, _: AsyncExitStack) -> AsyncLink:
    import culsans

    queue: Any = culsans.Queue(size)
    return queue.async_q.put, queue.async_q.get


def new_aiologic(size: int, _: AsyncExitStack) -> AsyncLink:
    import aiologic

    queue: Any = aiologic.Queue(size or None)
    return queue.async_put, queue.async_get


def new_aiologic_simple(_: int, __: AsyncExitStack) -> AsyncLink:
    import aiologic

    queue: Any = aiologic.SimpleQueue()
    return queue.async_put, queue.async_get


NEW: dict[str, Callable[[int, AsyncExitStack], AsyncLink]] = {
    "asyncio.Queue": new_queue,
    "asyncio.Queue on uvloop": new_queue,
    "janus.Queue (async)": new_janus,
    "culsans.Queue (async)": new_culsans,
    "aiologic.Queue (async)": new_aiologic,
    "aiologic.SimpleQueue (async)": new_aiologic_simple,
}
