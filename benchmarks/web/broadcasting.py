"""A server that sends what a publisher says to everybody who listens, on a model, as services with WebSockets do.

    python -m benchmarks.web.broadcasting asyncio 8000

A connection that sends `listen` gets every message from then on; one that sends `publish` sends them. A message has
its length before it, in four bytes, as a frame of a WebSocket has it; there are no masks, no HTTP upgrade and no pings.
Each listener has a channel of its own and a task that sends what comes there, so a slow one delays nobody else: it
misses what comes while `KEPT` messages wait for it. Any other request gets the answer of `/json`, with which a
measurement finds out that the server is there.
"""

import sys
from typing import Any

from concmodels import catalog
from concmodels.errors import SocketClosed, WouldBlock
from concmodels.net import AsyncStream, Stream, listen

KEPT = 64
HEAD = 4
"""Bytes that say how long a message is."""
LISTEN, PUBLISH, JSON = b"listen\r\n\r\n", b"publish\r\n\r\n", b'{"message": "Hello, world!"}'
HTTP = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(JSON), JSON)


class Topic:
    """The channels of all who listen."""

    def __init__(self) -> None:
        self.channels: dict[int, Any] = {}

    def publish(self, message: bytes) -> None:
        """Put a message into every channel that is not full."""
        for channel in self.channels.copy().values():
            try:
                channel.send_nowait(message)
            except WouldBlock:
                continue  # this listener is too slow, and misses it


def serve(model: Any, port: int) -> None:
    """Serve until the process is ended."""
    topic = Topic()
    with listen(model, "127.0.0.1", port) as listener, model.TaskGroup() as group:
        for stream in listener:
            group.spawn(converse, model, stream, topic)


def converse(model: Any, stream: Stream, topic: Topic) -> None:
    """Hear what a connection wants, and do it."""
    with stream:
        try:
            wanted = stream.receive_until(b"\r\n\r\n")
            if wanted == LISTEN:
                deliver(model, stream, topic)
            elif wanted == PUBLISH:
                while len(head := stream.receive_until(b"\n")) > 1:
                    topic.publish(framed(head))
            else:
                stream.send(HTTP)
        except OSError, SocketClosed:
            return  # it has gone


def deliver(model: Any, stream: Stream, topic: Topic) -> None:
    """Send every message to a listener."""
    channel = topic.channels[id(stream)] = model.Channel(KEPT, "messages")
    try:
        stream.send(framed(b""))
        for message in channel:
            stream.send(message)
    finally:
        del topic.channels[id(stream)]


async def async_serve(model: Any, port: int) -> None:
    """The async form of `serve`."""
    topic = Topic()
    with listen(model, "127.0.0.1", port) as listener:
        async with model.TaskGroup() as group:
            async for stream in listener:
                group.spawn(async_converse, model, stream, topic)


async def async_converse(model: Any, stream: AsyncStream, topic: Topic) -> None:
    """The async form of `converse`."""
    with stream:
        try:
            wanted = await stream.receive_until(b"\r\n\r\n")
            if wanted == LISTEN:
                await async_deliver(model, stream, topic)
            elif wanted == PUBLISH:
                while len(head := await stream.receive_until(b"\n")) > 1:
                    topic.publish(framed(head))
            else:
                await stream.send(HTTP)
        except OSError, SocketClosed:
            return


async def async_deliver(model: Any, stream: AsyncStream, topic: Topic) -> None:
    """The async form of `deliver`."""
    channel = topic.channels[id(stream)] = model.Channel(KEPT, "messages")
    try:
        await stream.send(framed(b""))
        async for message in channel:
            await stream.send(message)
    finally:
        del topic.channels[id(stream)]


def framed(message: bytes) -> bytes:
    """Return a message with its length before it."""
    return len(message).to_bytes(HEAD) + message


def main(name: str, port: int) -> None:
    """Serve on a model."""
    model = catalog.load(name)
    model.run(async_serve if catalog.facts(name).is_async else serve, model, port)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
