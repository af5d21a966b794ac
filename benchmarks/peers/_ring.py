"""The ring on anything that has a way in and a way out, once sync and once async.

A link is the pair of its two ends, each a bound method: `(put, get)`. A node forwards up to a mark, and then the mark,
as one would first write it.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from time import perf_counter
from typing import Any

type Link = tuple[Callable[[Any], object], Callable[[], Any]]
type AsyncLink = tuple[Callable[[Any], Awaitable[object]], Callable[[], Awaitable[Any]]]
type Spawn = Callable[..., Callable[[], object]]
"""Starts a unit with this function and these arguments; returns what waits for its end."""

END = -1


def size(capacity: float | None) -> int:
    """Return a capacity as most queues take it: 0 is unbounded."""
    return 0 if capacity in (None, inf) else int(capacity or 0)


def node(receive: Callable[[], Any], send: Callable[[Any], object]) -> None:
    """Forward every message, and the mark."""
    while (message := receive()) != END:
        send(message)
    send(END)


def feed(orders: Callable[[], Any], send: Callable[[Any], object]) -> None:
    """Send as many messages as were ordered; after the last order, the mark."""
    while (messages := orders()) != END:
        for number in range(messages):
            send(number)
    send(END)


def stream(spawn: Spawn, links: Sequence[Link], messages: int) -> float:
    """Return the seconds of a ring of `links`, the first of which leads to the feeder, with all messages under way."""
    with ring(spawn, links):
        order, receive = links[0][0], links[-1][1]
        started = perf_counter()
        order(messages)
        for number in range(messages):
            check(receive(), number)
        return perf_counter() - started


def token(spawn: Spawn, links: Sequence[Link], messages: int) -> float:
    """Return the seconds of the same ring with one message under way."""
    with ring(spawn, links):
        send, receive = links[1][0], links[-1][1]
        started = perf_counter()
        for number in range(messages):
            send(number)
            check(receive(), number)
        return perf_counter() - started


@contextmanager
def ring(spawn: Spawn, links: Sequence[Link]) -> Iterator[None]:
    """Start the feeder and the nodes, send one message round, and end them all with the block."""
    (order, orders), (first, _), (_, last) = links[0], links[1], links[-1]
    ends = [spawn(feed, orders, first)]
    ends += [spawn(node, inbox[1], outbox[0]) for inbox, outbox in zip(links[1:], links[2:], strict=False)]
    try:
        order(1)
        check(last(), 0)
        yield
    finally:
        order(END)
        rest = list(iter(last, END))  # after a failure, what was still under way
        for end in ends:
            end()
    check(len(rest), 0)


async def async_node(receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[object]]) -> None:
    """The async form of `node`."""
    while (message := await receive()) != END:
        await send(message)
    await send(END)


async def async_feed(orders: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[object]]) -> None:
    """The async form of `feed`."""
    while (messages := await orders()) != END:
        for number in range(messages):
            await send(number)
    await send(END)


async def async_stream(spawn: Callable[..., object], links: Sequence[AsyncLink], messages: int) -> float:
    """The async form of `stream`; the group that `spawn` belongs to waits for the units."""
    order, receive = links[0][0], links[-1][1]
    await async_start(spawn, links)
    started = perf_counter()
    await order(messages)
    for number in range(messages):
        check(await receive(), number)
    took = perf_counter() - started
    await async_end(links)
    return took


async def async_token(spawn: Callable[..., object], links: Sequence[AsyncLink], messages: int) -> float:
    """The async form of `token`."""
    send, receive = links[1][0], links[-1][1]
    await async_start(spawn, links)
    started = perf_counter()
    for number in range(messages):
        await send(number)
        check(await receive(), number)
    took = perf_counter() - started
    await async_end(links)
    return took


async def async_start(spawn: Callable[..., object], links: Sequence[AsyncLink]) -> None:
    """Start the feeder and the nodes, and send one message round."""
    spawn(async_feed, links[0][1], links[1][0])
    for inbox, outbox in zip(links[1:], links[2:], strict=False):
        spawn(async_node, inbox[1], outbox[0])
    await links[0][0](1)
    check(await links[-1][1](), 0)


async def async_end(links: Sequence[AsyncLink]) -> None:
    """Let all units end."""
    await links[0][0](END)
    check(await links[-1][1](), END)


def check(came: Any, due: int) -> None:
    """Raise an error unless the message is the one that was due."""
    if came != due:
        raise RuntimeError(f"message {came} came when {due} was due")
