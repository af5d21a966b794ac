"""The common part of sync and async streams and listeners: everything that never waits."""

import os
import socket as sockets

from concmodels.errors import DelimiterNotFound, SocketClosed
from concmodels.net.addresses import address_of, send_at_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Self

OFTEN = 64
"""After so many operations of a stream that need not wait, the next one is a checkpoint."""

FULL_S = 0.01
"""The pause before the next try to connect to a Unix socket that has no room for another connection."""

PIECE = 65536
"""The number of bytes that are received at a time, unless the caller says another one."""


class ClosingDescriptor:
    """A descriptor whose socket has let go of it already, for `Model.notify_closing`."""

    __slots__ = ("_number",)

    def __init__(self, number: int) -> None:
        self._number = number

    def fileno(self) -> int:
        """Return the number of the descriptor, which is still open."""
        return self._number


class SocketEnd:
    """A socket and the model whose tasks wait for it."""

    __slots__ = ("_unclosed", "model", "socket", "unwaited")

    def __init__(self, model: Any, socket: sockets.socket) -> None:
        socket.setblocking(False)
        self.model = model
        self.socket = socket
        self.unwaited = 0
        """The number of operations since the last one that waited."""
        self._unclosed = [None]

    def close(self) -> None:
        """Close the socket. Tasks that wait for it get `SocketClosed`. Never waits; a second call does nothing."""
        try:
            self._unclosed.pop()  # without the GIL, two threads that both `detach` might get and close one descriptor
        except IndexError:
            return
        # First the socket lets go of its descriptor, so that no other thread can begin a wait that nobody would end.
        number = self.socket.detach()
        if number < 0:
            return
        try:
            self.model.notify_closing(ClosingDescriptor(number))
        finally:
            sockets.close(number)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.socket!r}>"

    def refuse_if_closed(self) -> None:
        """Raise `SocketClosed` if that is why the system has just refused an operation."""
        if self.socket.fileno() < 0:
            raise SocketClosed(f"{self!r} is closed") from None

    def deadline(self, timeout: float) -> float:
        """Return the time on the model's clock at which this timeout ends, in seconds."""
        until: float = self.model.now() + timeout
        return until

    def rest(self, until: float) -> float:
        """Return how many seconds are left until then."""
        rest: float = until - self.model.now()
        return rest


class StreamBase(SocketEnd):
    """A connection, without the operations that may wait."""

    __slots__ = ("emptied", "received")

    def __init__(self, model: Any, socket: sockets.socket, received: bytes = b"") -> None:
        super().__init__(model, socket)
        self.received = bytearray(received)
        """The bytes that have come from the socket and were not asked for yet."""
        self.emptied = True
        """Whether the last `recv` has got all that there was: then the next one had to wait."""

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        """Pickle the socket, and what was received from it before."""
        return type(self), (self.model, self.socket, bytes(self.received))

    def send_eof(self) -> None:
        """Tell the other side that nothing more will be sent; what it sends can still be received."""
        try:
            self.socket.shutdown(sockets.SHUT_WR)
        except OSError:
            self.refuse_if_closed()
            raise

    def take(self, count: int) -> bytes:
        """Return so many of the bytes that were received before, at most."""
        taken = bytes(self.received[:count])
        del self.received[:count]
        return taken

    def take_until(self, delimiter: bytes, searched: int, limit: int) -> bytes:
        """Return what was received up to a delimiter, with it; b"" if there is none yet, from `searched` on.

        Raises `DelimiterNotFound` if there is none within the limit.
        """
        found = self.received.find(delimiter, searched)
        end = len(self.received) + 1 if found < 0 else found + len(delimiter)  # the least that it can be
        if end > limit:
            raise DelimiterNotFound(f"there is no {delimiter!r} in the first {limit:,} bytes")
        return self.take(end) if found >= 0 else b""


class ListenerBase(SocketEnd):
    """A listening socket, without the operations that may wait."""

    __slots__ = ("path", "turns")

    def __init__(self, model: Any, socket: sockets.socket) -> None:
        super().__init__(model, socket)
        self.path: str | None = None
        """The file of a Unix socket that `close` removes."""
        self.turns: dict[str, Any] = {}

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        """Pickle the socket. The file of a Unix socket stays with this listener."""
        return type(self), (self.model, self.socket)

    @property
    def address(self) -> tuple[str, int | None]:
        """The host and the port; of a Unix socket its path and None."""
        return address_of(self.socket)

    def close(self) -> None:
        """Close the socket: nothing more is accepted, and a task that waits in `accept` gets `SocketClosed`.

        Never waits; a second call does nothing.
        """
        super().close()
        path, self.path = self.path, None
        if path is not None and os.path.exists(path):
            os.unlink(path)

    def accepted(self) -> sockets.socket:
        """Return the socket of a connection that is there. Raises `BlockingIOError` if there is none."""
        while True:
            try:
                connection, _ = self.socket.accept()
                break
            except ConnectionAbortedError:
                pass  # it has gone before it was accepted; perhaps there is another one
            except BlockingIOError:
                raise
            except OSError:
                self.refuse_if_closed()
                raise
        send_at_once(connection)
        return connection

    @property
    def turn(self) -> Any:
        """A channel with one item, which a task holds while it waits for a connection: one at a time can do that.

        It is made when it is first needed, because a listener may be made outside of a run.
        """
        turn = self.turns.get("turn")
        if turn is None:
            made = self.model.Channel(1, "whose turn it is to accept")
            made.send_nowait(None)
            turn = self.turns.setdefault("turn", made)  # another thread may have been faster
        return turn


def is_one(data: bytes, delimiter: bytes) -> bool:
    """Return whether the delimiter ends these bytes, and is nowhere else in them."""
    end = len(data) - len(delimiter)
    return end >= 0 and data.find(delimiter) == end
