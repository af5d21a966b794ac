"""trio's memory channels."""

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from math import inf
from typing import Any

import trio

from benchmarks.peers._ring import AsyncLink


def lap(run: Callable[..., Any], peer: str, capacities: Sequence[float | None], work: Any) -> Any:
    """Run a program on channels of these capacities."""
    return trio.run(main, run, capacities, work)


async def main(run: Callable[..., Any], capacities: Sequence[float | None], work: Any) -> Any:
    """Make the channels and run the program."""
    async with AsyncExitStack() as stack, trio.open_nursery() as nursery:
        links = [await new_link(stack, inf if capacity is None else capacity) for capacity in capacities]
        return await run(nursery.start_soon, links, work)


async def new_link(stack: AsyncExitStack, capacity: float) -> AsyncLink:
    """Make a channel."""
    send, receive = trio.open_memory_channel[Any](capacity)
    await stack.enter_async_context(send)
    await stack.enter_async_context(receive)
    return send.send, receive.receive
