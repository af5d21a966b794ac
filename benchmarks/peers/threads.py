"""Queues between threads."""

import asyncio
import queue
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from threading import Thread
from typing import Any

from benchmarks.peers._ring import Link, size


def lap(run: Callable[..., Any], peer: str, capacities: Sequence[float | None], work: Any) -> Any:
    """Make queues of these capacities, and run a program on them."""
    sizes = list(map(size, capacities))
    if peer.startswith("janus"):
        return asyncio.run(on_janus(run, sizes, work))
    return run(spawn, [ends(NEW[peer](it)) for it in sizes], work)


def new_culsans(maxsize: int) -> Any:
    import culsans

    return culsans.Queue(maxsize).sync_q


NEW: dict[str, Callable[[int], Any]] = {
    "queue.Queue": queue.Queue,
    "queue.SimpleQueue": lambda _: queue.SimpleQueue(),
    "culsans.Queue (sync)": new_culsans,
}


async def on_janus(run: Callable[..., Any], sizes: list[int], work: Any) -> Any:
    """Run a program on the synchronous ends of janus's queues, each of which belongs to an event loop.

    The loop is stopped meanwhile, as its thread is the caller: this is about threads.
    """
    import janus

    async with AsyncExitStack() as stack:
        queues: list[Any] = [janus.Queue(it) for it in sizes]
        for it in queues:
            stack.push_async_callback(it.aclose)
        return run(spawn, [ends(it.sync_q) for it in queues], work)


def ends(it: Any) -> Link:
    """Return the way in and the way out."""
    return it.put, it.get


def spawn(function: Callable[..., None], *args: Any) -> Callable[[], None]:
    """Start a thread; a program that fails does not wait for it."""
    thread = Thread(target=function, args=args, daemon=True)
    thread.start()
    return thread.join
