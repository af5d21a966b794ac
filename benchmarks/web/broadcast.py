"""A message to a thousand connections: how long until everybody has it."""

import contextlib
import select
import socket
import time
from collections.abc import Iterator

from benchmarks.calls import Took
from benchmarks.cell import NotHere
from benchmarks.web.broadcasting import HEAD, LISTEN, PUBLISH
from benchmarks.web.calls import serving
from benchmarks.web.idle import SPARE
from benchmarks.web.latencies import percentile
from concmodels.platform import measuring

ANSWER_S = 20.0
WARM_UP = 3
"""Messages before the clock starts."""


def broadcast(server: str, listeners: int, messages: int, size: int) -> Took:
    """Return the seconds that a message takes to one of so many listeners, each message sent when all have the last."""
    if (limit := measuring.raise_descriptor_limit(listeners + SPARE)) is not None:
        raise NotHere(f"{listeners:,} connections need as many file descriptors; the limit here is {limit:,}")
    text = b"x" * (size - 1) + b"\n"
    with serving(server) as (running, figures), listening(running.port, listeners) as all_of_them:
        publisher = all_of_them.publisher
        publisher.sendall(PUBLISH)
        times = []
        for number in range(WARM_UP + messages):
            begin = time.perf_counter()
            publisher.sendall(text)
            all_of_them.wait_for(HEAD + size)
            if number >= WARM_UP:
                times.append(time.perf_counter() - begin)
    times.sort()
    figures |= {"p50_s": percentile(times, 0.5), "max_s": times[-1], "all_s": sum(times) / messages}
    return sum(times), figures


class Listeners:
    """All who listen, in one epoll, and who publishes."""

    def __init__(self, publisher: socket.socket, sockets: list[socket.socket]) -> None:
        self.publisher = publisher
        self._epoll = select.epoll()
        self._sockets = {it.fileno(): it for it in sockets}
        for it in self._sockets:
            self._epoll.register(it, select.EPOLLIN)

    def wait_for(self, size: int) -> None:
        """Wait until each has received so many bytes. Raises `RuntimeError` if one has not in time, or gets more."""
        missing = dict.fromkeys(self._sockets, size)
        until = time.monotonic() + ANSWER_S
        while missing:
            ready = self._epoll.poll(max(0.0, until - time.monotonic()), len(self._sockets))
            if not ready:
                raise RuntimeError(f"{len(missing):,} of {len(self._sockets):,} listeners got no whole message")
            for number, _ in ready:
                data = self._sockets[number].recv(65536)
                rest = missing.pop(number, 0) - len(data)
                if not data or rest < 0:
                    raise RuntimeError("a connection has ended" if not data else "a listener got more than was sent")
                if rest:
                    missing[number] = rest

    def close(self) -> None:
        """Close the epoll."""
        self._epoll.close()


@contextlib.contextmanager
def listening(port: int, number: int) -> Iterator[Listeners]:
    """Yield so many connections that listen, and one more to publish with."""
    with contextlib.ExitStack() as stack:

        def connection() -> socket.socket:
            return stack.enter_context(socket.create_connection(("127.0.0.1", port), ANSWER_S))

        sockets = []
        for _ in range(number):
            sockets.append(connection())
            sockets[-1].sendall(LISTEN)
        found = stack.enter_context(contextlib.closing(Listeners(connection(), sockets)))
        found.wait_for(HEAD)  # the empty message by which each knows that it is heard
        yield found
