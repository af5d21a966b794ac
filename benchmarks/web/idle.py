"""Ten thousand connections that wait: what each takes, and what becomes of the others meanwhile."""

import contextlib
import socket
import time
from collections.abc import Iterator

from benchmarks.calls import Took
from benchmarks.cell import NotHere
from benchmarks.web import account
from benchmarks.web.answers import Broken, answer
from benchmarks.web.calls import serving
from benchmarks.web.loading import watched
from benchmarks.web.server import Server
from concmodels.platform import measuring

SPARE = 64
"""Descriptors that a server needs besides those of its connections."""
_REQUEST = b"GET /json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
_ANSWER_S = 10.0
_SETTLE_S = 0.3
_ASKED_AGAIN = 200


def idle(server: str, path: str, idle: int, connections: int, seconds: float, rate: int) -> Took:
    """Return the seconds it takes to open connections, each of which is answered once and then waits."""
    need = idle + connections + SPARE
    if (limit := measuring.raise_descriptor_limit(need)) is not None:
        raise NotHere(f"{idle:,} connections need {need:,} file descriptors; the limit here is {limit:,} (ulimit -n)")
    with serving(server) as (running, figures):
        before, kernel_before = account.pss(running.pid), account.kernel_bytes()
        with opened(running, idle) as (waiting, took):
            time.sleep(_SETTLE_S)
            figures |= {
                "pss_bytes_per_connection": (account.pss(running.pid) - before) / idle,
                "kernel_bytes_per_connection": (account.kernel_bytes() - kernel_before) / idle,
            }
            figures |= watched(running, path, seconds, connections=connections, rate=rate)[1]
            figures["dead_connections"] = sum(not answered(it) for it in waiting[:: max(1, idle // _ASKED_AGAIN)])
            # While they wait: ten thousand threads that all find their client gone compete for the GIL for a minute.
            running.stop()
    return took, figures


@contextlib.contextmanager
def opened(running: Server, number: int) -> Iterator[tuple[list[socket.socket], float]]:
    """Yield connections that have been answered once, and how many seconds it took to open them.

    Raises `RuntimeError` if the server takes no more.
    """
    with contextlib.ExitStack() as stack:
        begin = time.monotonic()
        found = []
        for count in range(number):
            try:
                found.append(stack.enter_context(socket.create_connection(("127.0.0.1", running.port), _ANSWER_S)))
            except OSError as error:
                raise RuntimeError(f"the server took {count:,} of {number:,} connections: {error}") from None
            if not answered(found[-1]):
                raise RuntimeError(f"the server took {count:,} of {number:,} connections, and did not answer the next")
        yield found, time.monotonic() - begin


def answered(connection: socket.socket) -> bool:
    """Return whether a request on this connection is answered."""
    data = b""
    try:
        connection.sendall(_REQUEST)
        while more := connection.recv(4096):
            data += more
            if found := answer(data):
                return found.status == 200
    except OSError, Broken:
        return False
    return False
