"""Free ports on 127.0.0.1 that stay free for us."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def reserved(number: int) -> Iterator[list[int]]:
    """Yield so many ports that the kernel has chosen.

    Each is bound until the end by a socket that does not listen. The kernel then gives it to no outgoing connection, of
    which a load makes thousands; a server that sets SO_REUSEADDR, as servers do, can still listen there.
    """
    with ExitStack() as held:
        yield [_bound(held.enter_context(socket.socket())) for _ in range(number)]


def _bound(holder: socket.socket) -> int:
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    port: int = holder.getsockname()[1]
    return port
