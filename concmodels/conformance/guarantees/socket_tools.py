"""The tools with which the chapters on sockets are written, in addition to `tools.py`."""

from concmodels import platform

from .pool_tools import of_one_memory
from .tools import PATIENCE

DIRECTIONS = ("readable", "writable")


def with_numbers(facts):
    """The models whose tasks see the same objects, on systems where the number of a socket is that of any file."""
    return of_one_memory(facts) and not platform.WINDOWS


class connected:
    """`with connected() as (ours, theirs):` has two connected sockets that never block, and closes them."""

    def __enter__(self):
        self.ends = self.make()
        for end in self.ends:
            end.setblocking(False)
        return self.ends

    def __exit__(self, *_):
        for end in self.ends:
            end.close()

    @staticmethod
    def make():
        """Return the two sockets."""
        import socket

        return socket.socketpair()


class over_tcp(connected):
    """As `connected`, through the network's protocols."""

    @staticmethod
    def make():
        """Return the two sockets."""
        import socket

        with socket.create_server(("127.0.0.1", 0)) as server:
            ours = socket.create_connection(server.getsockname())
            return ours, server.accept()[0]


class unready(connected):
    """As `connected`; the first socket is not ready in this direction."""

    def __init__(self, direction):
        self.direction = direction

    def __enter__(self):
        ours, theirs = super().__enter__()
        if self.direction == "writable":
            fill(ours)
        return ours, theirs


class listening:
    """`with listening() as server:` has a socket to which others can connect, and closes it."""

    def __enter__(self):
        import socket

        self.server = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.server.setblocking(False)
        return self.server

    def __exit__(self, *_):
        self.server.close()


class End:
    """One end of a pipe: an object that has nothing but a `fileno`."""

    def __init__(self, number):
        self.number = number

    def fileno(self):
        """Return the number of the descriptor."""
        return self.number


class piped:
    """`with piped() as (reading, writing):` has the two ends of a pipe, and closes them."""

    def __enter__(self):
        import os

        self.numbers = os.pipe()
        for number in self.numbers:
            os.set_blocking(number, False)
        return [End(number) for number in self.numbers]

    def __exit__(self, *_):
        import os

        for number in self.numbers:
            os.close(number)


def fill(socket):
    """Send until the socket takes no more; return how many bytes that were."""
    count = 0
    try:
        while True:
            count += socket.send(bytes(1 << 16))
    except BlockingIOError:
        return count


def empty(socket):
    """Return the bytes that can be received now."""
    parts = []
    try:
        while part := socket.recv(1 << 16):
            parts.append(part)
    except BlockingIOError:
        pass
    return b"".join(parts)


def make_ready(theirs, direction):
    """Make the socket at the other side of this one ready in this direction."""
    if direction == "readable":
        theirs.send(b"!")
    else:
        empty(theirs)


def reused(number, made):
    """Make sockets, and add them to `made`, until one has this number; return it, and the one connected to it."""
    import socket

    for _ in range(20):
        pair = socket.socketpair()
        made += pair
        for ours, theirs in (pair, pair[::-1]):
            if ours.fileno() == number:
                return ours, theirs
    raise AssertionError(f"the number {number} is not free")


# Tasks.


async def wait_until(model, socket, direction, timeout=PATIENCE):
    """Wait until the socket is ready in this direction."""
    await (model.wait_readable if direction == "readable" else model.wait_writable)(socket, timeout)


async def take(model, socket, size=1):
    """Wait until the socket can be read, and return what it has."""
    await model.wait_readable(socket, PATIENCE)
    return socket.recv(size)


async def wait_and_report(model, socket, direction, report):
    """Wait until the socket is ready, and report that, or why it will never be."""
    from concmodels.errors import SocketClosed

    try:
        await wait_until(model, socket, direction)
    except SocketClosed:
        report.send_nowait("closed")
    except model.Cancelled:
        report.send_nowait("cancelled")
        raise
    else:
        report.send_nowait("ready")
