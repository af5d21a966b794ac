"""Where an answer of HTTP/1.1 ends, and what it says."""

import re
from functools import lru_cache
from typing import NamedTuple

LARGEST = 16 * 1024 * 1024
_HEAD_END = b"\r\n\r\n"
_STATUS = re.compile(rb"HTTP/1\.([01]) (\d{3})(?: [^\r\n]*)?(?:\r\n|$)")
_FIELD = re.compile(rb"^(content-length|transfer-encoding|connection):([^\r\n]*)", re.M)
_MOST_DIGITS = 19


class Broken(Exception):
    """The bytes that came are no answer, or it will not be completed; the message is the name of the error."""


class Answer(NamedTuple):
    """A complete answer."""

    status: int
    body: bytes
    closing: bool
    """Whether the server closes the connection after it."""


class Head(NamedTuple):
    """The head of an answer. Without a length, and not chunked, the body ends with the connection."""

    status: int
    length: int | None
    chunked: bool
    closing: bool


def answer(data: bytes | bytearray, ended: bool = False) -> Answer | None:
    """Return the answer in these bytes, None if more is to come. `ended` says that the server has closed.

    Raises `Broken` if this is no answer, or more than one.
    """
    end = data.find(_HEAD_END)
    if end < 0:
        _check_incomplete(data, ended)
        return None
    head = _parsed(bytes(data[:end]))
    end += len(_HEAD_END)
    if head.chunked:
        body, length = _unchunked(data, end)
        complete = body is not None
    else:
        length = len(data) - end if head.length is None else head.length
        complete = ended if head.length is None else len(data) - end >= length
        body = bytes(data[end : end + length])
    if not complete or body is None:
        _check_incomplete(data, ended)
        return None
    if len(data) > end + length:
        raise Broken("more than one answer")
    return Answer(head.status, body, head.closing or ended)


def _check_incomplete(data: bytes | bytearray, ended: bool) -> None:
    """Raise `Broken` if these bytes can't become an answer."""
    if ended:
        raise Broken("closed within an answer" if data else "closed without an answer")
    if len(data) > LARGEST:
        raise Broken("an answer above 16 MiB")


@lru_cache(maxsize=64)  # a server's heads differ in the date, once a second
def _parsed(text: bytes) -> Head:
    found = _STATUS.match(text)
    if found is None:
        raise Broken("no answer of HTTP/1.1")
    fields = {name: value.strip() for name, value in _FIELD.findall(text.lower())}
    options = [option.strip() for option in fields.get(b"connection", b"").split(b",")]
    status, chunked = int(found[2]), fields.get(b"transfer-encoding", b"").endswith(b"chunked")
    length = _length(status, fields)
    until_closed = length is None and not chunked
    closing = until_closed or b"close" in options or (found[1] == b"0" and b"keep-alive" not in options)
    return Head(status, length, chunked, closing)


def _length(status: int, fields: dict[bytes, bytes]) -> int | None:
    if status in (204, 304) or status < 200:
        return 0
    length = fields.get(b"content-length")
    if length is None:
        return None
    if not length.isdigit() or len(length) > _MOST_DIGITS or int(length) > LARGEST:
        raise Broken("a wrong Content-Length")
    return int(length)


def _unchunked(data: bytes | bytearray, begin: int) -> tuple[bytes | None, int]:
    """Return the body of these chunks, None if more are to come, and how many bytes they take."""
    parts: list[bytes] = []
    at = begin
    while (line := data.find(b"\r\n", at)) >= 0:
        size = bytes(data[at:line]).partition(b";")[0].strip()
        if not re.fullmatch(rb"[0-9A-Fa-f]{1,8}", size):
            raise Broken("a wrong chunk")
        length = int(size, 16)
        if not length:
            end = data.find(_HEAD_END, line)  # after what may follow the last chunk
            return (b"".join(parts), end + len(_HEAD_END) - begin) if end >= 0 else (None, 0)
        parts.append(bytes(data[line + 2 : line + 2 + length]))
        at = line + 2 + length + 2
    return None, 0
