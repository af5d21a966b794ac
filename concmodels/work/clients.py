"""An HTTP client for each worker, of the kind that its model would use. All are httpx; the sockets differ.

    threads, rawthreads, processes, subinterp   `httpx.Client`: a request blocks its thread, and only that
    asyncio, trio, anyio                        `httpx.AsyncClient`
    gevent, eventlet                            `httpx.Client` over the library's own cooperative sockets
    greenlet, tasklets                          `httpx.Client` over `Socket`, which waits by the model's verbs

Nothing is monkey-patched: httpx does its networking through httpcore, and httpcore uses any object that has
`connect_tcp`. Here that is `Backend`.

Each worker has a client of its own. If workers shared a client, they would wait for each other on a `threading.Lock`,
and a greenlet that does so blocks all others. A context variable holds the client, because in every model each task has
a context of its own. Only Dask gives each task a new context, and often another thread, so a task that may run in
another process borrows a client for each request.
"""

import select
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpcore
import httpx

from concmodels.catalog import Facts

__all__ = ["Backend", "Clients", "Socket", "new_client"]

PLAIN: dict[str, Any] = {
    "verify": False,  # loading the certificates takes longer than all requests, and nothing here is encrypted
    "trust_env": False,  # a proxy has no business on loopback
    "timeout": 60,  # seconds
}

_own: ContextVar[Any] = ContextVar("client")


class Clients:
    """The clients of all workers in one interpreter; `new` makes a client."""

    def __init__(self, new: Callable[[], Any]) -> None:
        self.new = new
        self.all: list[Any] = []
        self._idle: deque[Any] = deque()

    def own(self) -> Any:
        """Return the client of the calling worker."""
        client = _own.get(None)
        if client is None or client.is_closed:
            client = self.new()
            _own.set(client)
            self.all.append(client)
        return client

    @contextmanager
    def borrowed(self) -> Iterator[Any]:
        """Lend a client for the time of a `with`. There are only as many clients as are lent at the same time."""
        client = self._take()
        try:
            yield client
        finally:
            self._idle.append(client)

    def _take(self) -> Any:
        while self._idle:
            try:
                client = self._idle.pop()
            except IndexError:  # another thread was faster
                break
            if not client.is_closed:
                return client
        client = self.new()
        self.all.append(client)
        return client

    def close(self) -> None:
        """Close all clients, when no worker uses them any more."""
        while self.all:
            self.all.pop().close()

    async def aclose(self) -> None:
        """The async form of `close`, for the clients of an async model."""
        while self.all:
            await self.all.pop().aclose()


def new_client(facts: Facts, verbs: Any) -> Callable[[], Any]:
    """Return a function that makes clients for this model."""
    if facts.is_async:
        return lambda: httpx.AsyncClient(**PLAIN)
    if connect := _cooperative_sockets(facts, verbs):
        return lambda: over(connect)
    return lambda: httpx.Client(**PLAIN)


def _cooperative_sockets(facts: Facts, verbs: Any) -> Callable[[tuple[str, int]], Any] | None:
    """Return a function that connects as this model does; None if a worker may block its thread."""
    if "gevent" in facts.libraries:
        from gevent.socket import socket as of_gevent

        return lambda address: dial(of_gevent(socket.AF_INET), address)
    if "eventlet" in facts.libraries:
        from eventlet.green.socket import socket as of_eventlet

        return lambda address: dial(of_eventlet(socket.AF_INET), address)
    return (lambda address: Socket(address, verbs)) if facts.family == "greenlets" else None


def dial(new: Any, address: tuple[str, int]) -> Any:
    """Connect a new socket. (`create_connection` would look the address up first, which gevent does in threads.)"""
    try:
        new.connect(address)
        new.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        new.close()
        raise
    return new


def over(connect: Callable[[tuple[str, int]], Any]) -> httpx.Client:
    """Return a client whose sockets come from `connect`."""
    return httpx.Client(transport=Transport(httpcore.ConnectionPool(network_backend=Backend(connect))), **PLAIN)


class Socket:
    """A socket for models that have none of their own: where it would block, it waits by the model's verbs."""

    def __init__(self, address: tuple[str, int], verbs: Any) -> None:
        self._socket: socket.socket = dial(socket.socket(), address)  # this blocks; on loopback it takes no time
        self._socket.setblocking(False)
        self._verbs = verbs
        self.fileno = self._socket.fileno

    def recv(self, size: int) -> bytes:
        """Receive up to `size` bytes, as soon as there are any."""
        while True:
            try:
                return self._socket.recv(size)
            except BlockingIOError:
                self._verbs.wait_readable(self._socket)

    def sendall(self, data: bytes) -> None:
        """Send all of the data."""
        while data:
            try:
                data = data[self._socket.send(data) :]
            except BlockingIOError:
                self._verbs.wait_writable(self._socket)

    def close(self) -> None:
        """Close the socket."""
        self._verbs.notify_closing(self._socket)
        self._socket.close()


class Stream(httpcore.NetworkStream):
    """A connection for httpcore, over a socket that has `recv`, `sendall`, `close` and `fileno`."""

    def __init__(self, connected: Any) -> None:
        self._socket = connected

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Receive, waiting as the model does. There is no timeout: the server is known to answer."""
        return bytes(self._socket.recv(max_bytes))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send the buffer."""
        self._socket.sendall(buffer)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def get_extra_info(self, info: str) -> Any:
        """Return whether there is something to read, and nothing else; on an idle connection that means its end."""
        if info != "is_readable":
            return None
        poll = select.poll()
        poll.register(self._socket.fileno(), select.POLLIN)
        return bool(poll.poll(0))


class Backend(httpcore.NetworkBackend):
    """The network backend of httpcore, which makes its connections."""

    def __init__(self, connect: Callable[[tuple[str, int]], Any]) -> None:
        self._connect = connect

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect as the model does."""
        return Stream(self._connect((host, port)))


class Transport(httpx.BaseTransport):
    """A transport of httpx that passes requests on to a connection pool of httpcore."""

    def __init__(self, pool: httpcore.ConnectionPool) -> None:
        self._pool = pool

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; return its response, read completely."""
        answer = self._pool.request(
            request.method, str(request.url), headers=request.headers.raw, content=request.read()
        )
        return httpx.Response(answer.status, headers=answer.headers, content=answer.content)

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()
