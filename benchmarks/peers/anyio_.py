"""anyio's memory object streams, on either event loop."""

from collections.abc import Callable
from contextlib import ExitStack
from math import inf
from typing import Any

import anyio

from benchmarks.peers import _ring
from benchmarks.peers._ring import AsyncLink


def stream(peer: str, nodes: int, messages: int, capacity: float) -> float:
    """Return the seconds of the ring with all messages under way."""
    return anyio.run(main, _ring.async_stream, nodes, messages, capacity, backend=backend(peer))


def token(peer: str, nodes: int, messages: int) -> float:
    """Return the seconds of the ring with one message under way."""
    return anyio.run(main, _ring.async_token, nodes, messages, inf, backend=backend(peer))


def backend(peer: str) -> str:
    """Return the event loop that this peer uses."""
    return "trio" if peer.endswith("on trio") else "asyncio"


async def main(run: Callable[..., Any], nodes: int, messages: int, capacity: float) -> float:
    """Make the streams of a ring and run it."""
    with ExitStack() as stack:
        links = [new_link(stack, capacity) for _ in range(nodes + 2)]
        async with anyio.create_task_group() as group:
            took: float = await run(group.start_soon, links, messages)
        return took


def new_link(stack: ExitStack, capacity: float) -> AsyncLink:
    """Make a stream."""
    send, receive = anyio.create_memory_object_stream[Any](capacity)
    stack.enter_context(send)
    stack.enter_context(receive)
    return send.send, receive.receive
