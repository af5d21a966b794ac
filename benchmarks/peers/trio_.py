"""trio's memory channels."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from math import inf
from typing import Any

import trio

from benchmarks.peers import _ring
from benchmarks.peers._ring import AsyncLink


def stream(peer: str, nodes: int, messages: int, capacity: float) -> float:
    """Return the seconds of the ring with all messages under way."""
    return trio.run(main, _ring.async_stream, nodes, messages, capacity)


def token(peer: str, nodes: int, messages: int) -> float:
    """Return the seconds of the ring with one message under way."""
    return trio.run(main, _ring.async_token, nodes, messages, inf)


async def main(run: Callable[..., Any], nodes: int, messages: int, capacity: float) -> float:
    """Make the channels of a ring and run it."""
    async with AsyncExitStack() as stack, trio.open_nursery() as nursery:
        links = [await new_link(stack, capacity) for _ in range(nodes + 2)]
        took: float = await run(nursery.start_soon, links, messages)
        return took


async def new_link(stack: AsyncExitStack, capacity: float) -> AsyncLink:
    """Make a channel."""
    send, receive = trio.open_memory_channel[Any](capacity)
    await stack.enter_async_context(send)
    await stack.enter_async_context(receive)
    return send.send, receive.receive
