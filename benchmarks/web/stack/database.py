"""The least of PostgreSQL's protocol: a connection without a password, and one query with its rows as text.

PgBouncer's console speaks it as well. A driver would be one more package that may be missing; servers under test have
theirs, and this is for what is around them.
"""

import socket
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager

_VERSION = 3 << 16
_TIMEOUT_S = 60
_NULL = -1

type Rows = list[dict[str, str | None]]


class DatabaseError(Exception):
    """The server has refused; the message is its own."""


class Closed(OSError):
    """The server has closed the connection."""


def query(port: int, database: str, user: str, text: str, timeout: float = _TIMEOUT_S) -> Rows:
    """Return the rows of a query at 127.0.0.1, of several those of the last; each is a dict by column.

    Raises `DatabaseError` if the server refuses it, `OSError` if there is no server.
    """
    with _connected(port, timeout) as server:
        _send(server, b"", struct.pack("!i", _VERSION) + _texts("user", user, "database", database, ""))
        _answers(server)
        _send(server, b"Q", _texts(text))
        rows = _answers(server)
        _send(server, b"X", b"")
        return rows


@contextmanager
def _connected(port: int, timeout: float) -> Iterator[socket.socket]:
    with closing(socket.create_connection(("127.0.0.1", port), timeout)) as server:
        yield server


def _texts(*texts: str) -> bytes:
    return b"".join(text.encode() + b"\0" for text in texts)


def _send(server: socket.socket, kind: bytes, content: bytes) -> None:
    server.sendall(kind + struct.pack("!i", len(content) + 4) + content)


def _answers(server: socket.socket) -> Rows:
    """Read what the server says until it is ready for more; return the rows."""
    names: list[str] = []
    rows: Rows = []
    while True:
        kind, content = _message(server)
        if kind == b"E":
            raise DatabaseError(_reason(content))
        if kind == b"T":
            names, rows = _names(content), []
        elif kind == b"D":
            rows.append(dict(zip(names, _values(content), strict=True)))
        elif kind == b"Z":
            return rows


def _message(server: socket.socket) -> tuple[bytes, bytes]:
    head = _exactly(server, 5)
    return head[:1], _exactly(server, struct.unpack("!i", head[1:])[0] - 4)


def _exactly(server: socket.socket, length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        part = server.recv(length - len(data))
        if not part:
            raise Closed("the database has closed the connection")
        data += part
    return bytes(data)


def _names(content: bytes) -> list[str]:
    """Return the names of the columns: each ends with a zero, and 18 bytes about its type follow."""
    names, at = [], 2
    for _ in range(struct.unpack_from("!h", content)[0]):
        end = content.index(b"\0", at)
        names.append(content[at:end].decode())
        at = end + 1 + 18
    return names


def _values(content: bytes) -> Iterator[str | None]:
    at = 2
    for _ in range(struct.unpack_from("!h", content)[0]):
        (length,) = struct.unpack_from("!i", content, at)
        at += 4
        if length == _NULL:
            yield None
        else:
            yield content[at : at + length].decode()
            at += length


def _reason(content: bytes) -> str:
    """Return the sentence in an error message, whose fields begin with a letter each."""
    fields = {part[:1]: part[1:].decode(errors="replace") for part in content.split(b"\0") if part}
    return fields.get(b"M", "no reason given")
