"""Streams and listeners of sync models; `awaited.py` is the same text with `await`."""

import errno
import os
import socket as sockets

from concmodels.errors import SocketClosed
from concmodels.net.addresses import address_text, connecting_socket, places
from concmodels.net.base import FULL_S, OFTEN, PIECE, ListenerBase, StreamBase, is_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Buffer
    from typing import Any, Self

    from concmodels.net.addresses import Place

__all__ = ["Listener", "Stream", "connect"]


class Stream(StreamBase):
    """A connection: bytes in both directions. `Stream(model, socket)` makes one of any socket that is connected.

    One task may receive while another one sends. If two tasks receive, or two tasks send, and both have to wait, the
    second raises `RuntimeError`. `received` contains the bytes that have arrived and that no call has returned yet; if
    the stream is sent to another process or interpreter, they are sent along. The end of a `with` block closes the
    stream; in async models this is a plain `with`, too.
    """

    __slots__ = ()

    def receive(self, max_bytes: int = PIECE, timeout: float | None = None) -> bytes:
        """Receive the bytes that have arrived, waiting until there are some; b"" if the other side has ended.

        Returns at most `max_bytes`. Raises `ConnectionError` if the connection is broken, `SocketClosed` if this stream
        is closed, and `TimeoutError` after `timeout` seconds. No data is lost if a `receive` is cancelled or times out.
        """
        if max_bytes < 1:
            raise ValueError(f"max_bytes must be at least 1, not {max_bytes!r}")
        if self.unwaited >= OFTEN:
            self._checkpoint()
        if self.received:
            self.unwaited += 1
            return self.take(max_bytes)
        return self._receive(max_bytes, timeout)

    def receive_until(self, delimiter: bytes, limit: int = PIECE, timeout: float | None = None) -> bytes:
        """Receive up to a delimiter, and return the data including it: a line, or the head of a request.

        If the other side ends before that, returns the rest without a delimiter, and then b"", as `readline` of a file
        does. Raises `DelimiterNotFound` if there is no delimiter in the first `limit` bytes, and the exceptions of
        `receive`. Then the data is not lost: the next `receive` returns it. `timeout` is in seconds, for the whole
        call.
        """
        if not delimiter:
            raise ValueError("the delimiter must not be empty")
        if self.unwaited >= OFTEN:
            self._checkpoint()
        until = None if timeout is None else self.deadline(timeout)
        searched = 0
        while not (self.received and (found := self.take_until(delimiter, searched, limit))):
            searched = max(0, len(self.received) - len(delimiter) + 1)
            more = self._receive(PIECE, None if until is None else self.rest(until))
            if not more:
                return self.take(len(self.received))
            if not self.received and len(more) <= limit and is_one(more, delimiter):
                return more  # the usual case, in which nothing has to be kept
            self.received += more
        self.unwaited += 1
        return found

    def send(self, data: Buffer, timeout: float | None = None) -> None:
        """Send all of the data, waiting whenever the other side is slow to receive it.

        Raises `ConnectionError` if the connection is broken, `SocketClosed` if this stream is closed, and
        `TimeoutError` after `timeout` seconds. If a `send` is cancelled, times out or fails, a part of the data may
        have been sent, and there is no way to tell how much: then close the stream.
        """
        if self.unwaited >= OFTEN:
            self._checkpoint()
        until: float | None = None
        rest = data if isinstance(data, bytes) else memoryview(data).cast("B")
        while True:
            try:
                sent = self.socket.send(rest)
                if sent == len(rest):
                    break
                rest = memoryview(rest)[sent:]
            except BlockingIOError:
                pass
            except OSError:
                self.refuse_if_closed()
                raise
            self.unwaited = 0
            if timeout is not None and until is None:  # only now: most data is sent at once, without a look at a clock
                until = self.deadline(timeout)
            self.model.wait_writable(self.socket, None if until is None else self.rest(until))
        self.unwaited += 1

    def _receive(self, max_bytes: int, timeout: float | None) -> bytes:
        """Receive from the socket: at once, if there may be something, else after waiting for it."""
        while True:
            if self.emptied:
                self.unwaited = 0
                self.model.wait_readable(self.socket, timeout)
            try:
                data = self.socket.recv(max_bytes)
                break
            except BlockingIOError:
                self.emptied = True
            except OSError:
                self.refuse_if_closed()
                raise
        self.emptied = len(data) < max_bytes
        self.unwaited += 1
        return data

    def _checkpoint(self) -> None:
        """Let other tasks run, and raise a cancellation: with a fast other side, a task might never have to wait."""
        self.unwaited = 0
        self.model.sleep(0)


class Listener(ListenerBase):
    """A socket that accepts connections. Iteration yields a stream for each, and ends when the listener is closed.

    Any number of tasks may accept. `address` is the host and the port. The end of a `with` block closes the listener;
    in async models this is a plain `with`, too. A listener that is sent to another process or interpreter accepts from
    the same queue of connections.
    """

    __slots__ = ()

    def accept(self) -> Stream:
        """Wait for a connection and return its stream.

        Raises `SocketClosed` if the listener is closed, and `OSError` if the system has no file descriptor or memory
        for another connection. That connection keeps waiting, and can be accepted later.
        """
        if self.unwaited >= OFTEN:
            self._checkpoint()
        while True:
            try:
                self.unwaited += 1
                return Stream(self.model, self.accepted())
            except BlockingIOError:
                self.unwaited = 0
            self.turn.receive()
            try:
                self.model.wait_readable(self.socket)
                return Stream(self.model, self.accepted())
            except BlockingIOError:
                pass  # another process has taken it
            finally:
                self.turn.send_nowait(None)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Stream:
        try:
            return self.accept()
        except SocketClosed:
            raise StopIteration from None

    def _checkpoint(self) -> None:
        self.unwaited = 0
        self.model.sleep(0)


def connect(model: Any, host: str, port: int | None, timeout: float | None) -> Stream:
    """Connect to the first address that answers: see `concmodels.net.connect`."""
    until = None if timeout is None else model.now() + timeout
    failure: OSError | None = None
    for family, place in places(host, port):
        stream = Stream(model, connecting_socket(family))
        try:
            _connect(stream, place, until)
        except OSError as error:
            stream.close()
            failure = error
        except BaseException:
            stream.close()
            raise
        else:
            return stream
    raise failure or OSError(f"there is no address for {address_text(host, port)}")


def _connect(stream: Stream, place: Place, until: float | None) -> None:
    """Connect the socket of this stream. Raises `OSError`, of which `TimeoutError` is a kind."""
    code = stream.socket.connect_ex(place)
    while code == errno.EAGAIN:  # only of a Unix socket: too many wait to be accepted, and nothing tells when it ends
        if until is not None and stream.rest(until) <= 0:
            raise TimeoutError(f"nobody accepts connections at {place}")
        stream.model.sleep(FULL_S)
        code = stream.socket.connect_ex(place)
    if code == errno.EINPROGRESS:
        stream.model.wait_writable(stream.socket, None if until is None else stream.rest(until))
        code = stream.socket.getsockopt(sockets.SOL_SOCKET, sockets.SO_ERROR)
    if code:
        raise OSError(code, f"can't connect to {place}: {os.strerror(code)}")
