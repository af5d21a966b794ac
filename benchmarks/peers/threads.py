"""Queues between threads."""

import asyncio
import queue
from collections.abc import Callable
from contextlib import AsyncExitStack
from math import inf
from threading import Thread
from typing import Any

from benchmarks.peers import _ring
from benchmarks.peers._ring import Link


def stream(peer: str, nodes: int, messages: int, capacity: float) -> float:
    """Return the seconds of the ring with all messages under way."""
    return lap(_ring.stream, peer, nodes, messages, capacity)


def token(peer: str, nodes: int, messages: int) -> float:
    """Return the seconds of the ring with one message under way."""
    return lap(_ring.token, peer, nodes, messages, inf)


def lap(run: Callable[..., float], peer: str, nodes: int, messages: int, capacity: float) -> float:
    """Make the queues of a ring and run it."""
    count = nodes + 2
    if peer.startswith("janus"):
        return asyncio.run(on_janus(run, count, messages, capacity))
    queues = [NEW[peer](size(capacity)) for _ in range(count)]
    return run(spawn, [ends(it) for it in queues], messages)


def size(capacity: float) -> int:
    """Return a capacity as most queues take it: 0 is unbounded."""
    return 0 if capacity == inf else int(capacity)


def new_culsans(maxsize: int) -> Any:
    import culsans

    return culsans.Queue(maxsize).sync_q


def new_aiologic(maxsize: int) -> Any:
    import aiologic

    return aiologic.Queue(maxsize or None)


def new_aiologic_simple(maxsize: int) -> Any:
    import aiologic

    return aiologic.SimpleQueue()


NEW: dict[str, Callable[[int], Any]] = {
    "queue.Queue": queue.Queue,
    "queue.SimpleQueue": lambda _: queue.SimpleQueue(),
    "culsans.Queue (sync)": new_culsans,
    "aiologic.Queue (green)": new_aiologic,
    "aiologic.SimpleQueue (green)": new_aiologic_simple,
}


async def on_janus(run: Callable[..., float], count: int, messages: int, capacity: float) -> float:
    """Run the ring on the synchronous ends of janus's queues, each of which belongs to an event loop.

    The loop is stopped meanwhile, as its thread is the caller: this is about threads.
    """
    import janus

    async with AsyncExitStack() as stack:
        queues: list[Any] = [janus.Queue(size(capacity)) for _ in range(count)]
        for it in queues:
            stack.push_async_callback(it.aclose)
        return run(spawn, [ends(it.sync_q) for it in queues], messages)


def ends(it: Any) -> Link:
    """Return the way in and the way out."""
    return (it.green_put, it.green_get) if hasattr(it, "green_put") else (it.put, it.get)


def spawn(function: Callable[..., None], *args: Any) -> Callable[[], None]:
    """Start a thread; a program that fails does not wait for it."""
    thread = Thread(target=function, args=args, daemon=True)
    thread.start()
    return thread.join
