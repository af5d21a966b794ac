"""anyio's memory object streams, on either event loop."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from math import inf
from typing import Any

import anyio

from benchmarks.peers._ring import AsyncLink


def lap(run: Callable[..., Any], peer: str, capacities: Sequence[float | None], work: Any) -> Any:
    """Start the event loop of this peer, and a program on streams of these capacities in it."""
    backend = "trio" if peer.endswith("on trio") else "asyncio"
    return anyio.run(main, run, capacities, work, backend=backend)


async def main(run: Callable[..., Any], capacities: Sequence[float | None], work: Any) -> Any:
    """Make the streams and run the program."""
    with ExitStack() as stack:
        links = [new_link(stack, inf if capacity is None else capacity) for capacity in capacities]
        async with anyio.create_task_group() as group:

            def spawn(function: Callable[..., Any], *args: Any) -> None:
                group.start_soon(function, *args)  # returns a handle

            return await run(spawn, links, work)


def new_link(stack: ExitStack, capacity: float) -> AsyncLink:
    """Make a stream."""
    send, receive = anyio.create_memory_object_stream[Any](capacity)
    stack.enter_context(send)
    stack.enter_context(receive)
    return send.send, receive.receive
