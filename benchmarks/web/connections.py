"""A connection of the generator: it opens, sends one request at a time, and reads its answer; it never waits."""

import os
import socket
import ssl

from benchmarks.web.answers import Answer, Broken, answer
from concmodels.net.addresses import connecting_socket, places

_CHUNK = 64 * 1024


class Left(Exception):
    """The server has closed a connection that waited for no answer: it may do that."""


class Connection:
    """One place among the connections: if its socket is closed, it gets another one."""

    __slots__ = (
        "_data",
        "_family",
        "_host",
        "_place",
        "_secrets",
        "_socket",
        "answers",
        "due",
        "fd",
        "has_answered",
        "kind",
        "ready",
        "reopened",
    )

    def __init__(self, host: str, port: int, secrets: ssl.SSLContext | None = None) -> None:
        self._secrets = secrets
        self._host = host
        self._family, self._place = places(host, port)[0]
        self._socket: socket.socket | None = None
        self._data: bytearray | None = None
        """What has come of an answer that is not complete."""
        self.fd = -1
        self.ready = False
        """Whether it is connected."""
        self.has_answered = False
        """Whether an answer has come since then."""
        self.due: float | None = None
        """When the request should have been sent that is waiting for its answer, or for the connection."""
        self.kind = 0
        self.answers = 0
        self.reopened = 0

    def open(self) -> int:
        """Begin to connect; return the descriptor, which is writable when that is done. Raises `Broken`."""
        self._socket = connecting_socket(self._family)
        self.fd = self._socket.fileno()
        try:
            self._socket.connect(self._place)
        except BlockingIOError:
            pass
        except OSError as error:
            raise _broken(error) from None
        return self.fd

    def opened(self) -> bool:
        """Take note that the descriptor is ready; return whether the connection is open.

        It is not yet while a handshake waits for what the other side says: then the descriptor has to be readable.
        Raises `Broken` if nobody accepts, or if there is no TLS.
        """
        assert self._socket is not None
        if error := self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            raise Broken(os.strerror(error).lower())
        self.ready = self._secrets is None or self._has_shaken_hands(self._secrets, self._socket)
        return self.ready

    def _has_shaken_hands(self, secrets: ssl.SSLContext, own: socket.socket) -> bool:
        """Begin or go on with the handshake; return whether it is over. Raises `Broken`."""
        try:
            if not isinstance(own, ssl.SSLSocket):
                own = secrets.wrap_socket(own, server_hostname=self._host, do_handshake_on_connect=False)
                self._socket = own
            own.do_handshake()
        except ssl.SSLWantReadError:
            return False
        except OSError as error:
            raise _broken(error) from None
        return True

    def send(self, request: bytes, due: float, kind: int) -> None:
        """Send a request that was due at this moment. Raises `Broken`."""
        assert self._socket is not None
        self.due, self.kind = due, kind
        try:
            sent = self._socket.send(request)
        except OSError as error:
            raise _broken(error) from None
        if sent < len(request):  # an answer has been awaited for each one before: there is space for this one
            raise Broken("a request that was not taken whole")

    def receive(self) -> Answer | None:
        """Read what has come; return the answer if it is complete. Raises `Broken`, and `Left`."""
        assert self._socket is not None
        try:
            data: bytes | bytearray = self._socket.recv(_CHUNK)
        except BlockingIOError:
            return None
        except OSError as error:
            raise _broken(error) from None
        if self.due is None:
            raise Broken("an answer without a request") if data else Left
        ended = not data
        if self._data is not None:
            self._data += data
            data = self._data
        found = answer(data, ended)
        if found is None:
            self._data = bytearray(data)
        else:
            self._data, self.has_answered = None, True
        return found

    def close(self) -> None:
        """Close the socket, if there is one."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        self.ready = self.has_answered = False
        self.due = self._data = None


def _broken(error: OSError) -> Broken:
    if isinstance(error, ssl.SSLError):
        return Broken(f"TLS: {error.reason or error}".lower())
    return Broken(os.strerror(error.errno or 0).lower())
