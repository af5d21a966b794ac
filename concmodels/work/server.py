"""A small HTTP server on loopback that delays its answers. It is a process of its own, so its work is not measured.

    python -I server.py 100      answers after 100 milliseconds; the first line of its output is its port

It has twenty documents, `GET /posts/1` to `GET /posts/20`, each with userId, id, title and body; anything else is a
404. It implements only the part of HTTP/1.1 that the clients here need: connections that are kept open, with one
request after the other on each. A delay is just an entry in the loop's list of timers, so hundreds of requests may wait
at the same time.

The server runs as long as its standard input is open. So it ends when its parent ends, even if that is killed.
"""

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress

WORDS = ["channel", "task", "group", "pool", "worker", "queue", "lock", "signal", "timer", "thread", "fibre", "loop"]


def document(number: int) -> dict[str, int | str]:
    """Return the document with this number, 1 to 20."""
    first, second, third = (WORDS[(number + step) % len(WORDS)] for step in (0, 3, 7))
    return {
        "userId": 1 + number % 5,
        "id": number,
        "title": f"On the {first} and the {second}",
        "body": f"A {first} waits for a {second}.\nNobody told the {third} that it is number {number}.",
    }


DOCUMENTS = {number: document(number) for number in range(1, 21)}


def response(status: str, content: object) -> bytes:
    """Return a complete HTTP response."""
    body = json.dumps(content).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


RESPONSES = {f"GET /posts/{number} ".encode(): response("200 OK", it) for number, it in DOCUMENTS.items()}
NOT_FOUND = response("404 Not Found", {})


class Visitor(asyncio.Protocol):
    """One connection of a client."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.loop = asyncio.get_running_loop()
        self.received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport of a new connection."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Split the data into requests, and answer each later. A request ends with an empty line; none has a body."""
        self.received += data
        while b"\r\n\r\n" in self.received:
            head, _, self.received = self.received.partition(b"\r\n\r\n")
            target = head[: head.find(b" ", 4) + 1]
            self.loop.call_later(self.delay, self.answer, RESPONSES.get(target, NOT_FOUND))

    def answer(self, content: bytes) -> None:
        """Send the answer after the delay, unless the client has gone meanwhile."""
        if not self.transport.is_closing():
            self.transport.write(content)


async def serve(delay: float) -> None:
    """Serve until standard input ends; answer each request after `delay` seconds."""
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(0, over.set)  # nothing is ever written there, so it is readable when it is closed
    server = await loop.create_server(lambda: Visitor(delay), "127.0.0.1", 0, backlog=4096)
    with suppress(BrokenPipeError):  # the parent was stopped meanwhile
        os.write(1, b"%d\n" % server.sockets[0].getsockname()[1])
    await over.wait()
    server.close()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when the server ends
    asyncio.run(serve(int(sys.argv[1]) / 1000))
