"""Clients that send their requests byte by byte: what becomes of the others."""

import contextlib
import socket
import threading
from collections.abc import Iterator

from benchmarks.calls import Took
from benchmarks.web.calls import serving
from benchmarks.web.loading import slowest, watched
from benchmarks.web.server import Server

_HEAD = b"GET /json HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Padding: "
_DROP_S = 0.1
_FIRST_S = 0.3
"""They have begun when the others come."""


def slow(server: str, path: str, slow: int, connections: int, seconds: float, rate: int) -> Took:
    """Return P99 of the latencies of requests that come at a rate while so many others never end."""
    with serving(server) as (running, figures):
        body = running.body(path)
        with dribbling(running, slow) as connected:
            report, found = watched(running, path, seconds, connections=connections, rate=rate, body=body)
        figures |= found | {"slow_clients": connected, "answered_share": report["answers"] / seconds / rate}
    return slowest(report["latencies"]), figures


@contextlib.contextmanager
def dribbling(running: Server, number: int) -> Iterator[int]:
    """Have clients each send a byte every tenth of a second; yield how many of them could connect."""
    stop = threading.Event()
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(it) for it in connected(running, number)]
        thread = threading.Thread(target=dribble, args=[connections, stop])
        thread.start()
        try:
            stop.wait(_FIRST_S)
            yield len(connections)
        finally:
            stop.set()
            thread.join()


def connected(running: Server, number: int) -> Iterator[socket.socket]:
    """Yield so many connections, or fewer if the server takes no more."""
    for _ in range(number):
        try:
            connection = socket.create_connection(("127.0.0.1", running.port), 1.0)
        except OSError:
            return
        connection.setblocking(False)
        yield connection


def dribble(connections: list[socket.socket], stop: threading.Event) -> None:
    """Send the head of a request on each connection, a byte at a time, and never its end."""
    sent = 0
    while not stop.wait(_DROP_S):
        byte = _HEAD[sent : sent + 1] or b"a"
        for connection in connections:
            with contextlib.suppress(OSError):  # a server may close what is too slow
                connection.send(byte)
        sent += 1
