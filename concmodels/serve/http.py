"""As much of HTTP/1.1 as the service needs: a request from the bytes of its head, the bytes of a response.

A library for this, h11, takes about three times as long as everything else that is done for a request.
"""

import re
from functools import lru_cache

__all__ = ["HEAD_END", "MOST_BODY", "MOST_HEAD", "REASONS", "Refusal", "Request", "parse", "response"]

HEAD_END = b"\r\n\r\n"
MOST_HEAD = 16 * 1024
MOST_BODY = 1024 * 1024

REASONS = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    413: "Content Too Large",
    431: "Request Header Fields Too Large",
    501: "Not Implemented",
    505: "HTTP Version Not Supported",
}

_BEGINNINGS = {status: f"HTTP/1.1 {status} {reason}\r\nContent-Type: " for status, reason in REASONS.items()}

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
"""The answer that a client waits for that asks first whether it should send its body."""

_HEAD = re.compile(
    rb"(?:\r\n)*([!#-'*+.0-9A-Z^-z|~-]+) ([!-~]+) HTTP/(\d)\.(\d)\r\n"
    rb"(?:[!#-'*+.0-9A-Z^-z|~-]+:[^\0-\x08\n-\x1f\x7f]*\r\n)*\r\n"
)
# No pattern here tries anything twice: of a head of 16 KiB, a lazy `.*?` before spaces would make 130 million steps.
_FIELDS = re.compile(rb"\r\n(host|content-length|transfer-encoding|connection|expect):([^\r]*)", re.I)
_ABSOLUTE = re.compile(rb"https?://([^/?]+)", re.I)
_SLASH = ord("/")
_HOST = re.compile(rb"(?:[\w.~!$&'()*+,;=-]*(?:%[0-9a-f]{2}[\w.~!$&'()*+,;=-]*)*|\[[0-9a-fv:.%]+\])(?::[0-9]*)?", re.I)
_MOST_DIGITS = 19
"""More digits of a length than this can't be a length; a server before this one that reads fewer would be misled."""


class Refusal(Exception):
    """The request is answered with this status and one sentence."""

    def __init__(self, status: int, sentence: str, fields: str = "") -> None:
        super().__init__(sentence)
        self.status = status
        self.fields = fields


class Request:
    """A request: what was asked for, and what the head says of the body and of the connection."""

    __slots__ = ("body", "expects", "fields", "keep_alive", "length", "method", "path", "query")

    def __init__(self, method: str, target: str) -> None:
        self.method = method
        self.path, _, self.query = target.partition("?")
        self.keep_alive = True
        self.fields = ""
        """The fields that the head of the answer needs besides, while the connection is kept."""
        self.length: int | None = None
        self.expects = False
        """Whether the client waits for `CONTINUE` before it sends the body."""
        self.body = b""

    def number(self, name: str, default: int, most: int) -> int:
        """Return a whole number of the query. Raises `Refusal` if it is none, or too large."""
        for part in self.query.split("&"):
            key, _, value = part.partition("=")
            if key == name:
                if not (value.isascii() and value.isdecimal() and len(value) < 10 and int(value) <= most):
                    raise Refusal(400, f"{name} must be a whole number from 0 to {most}")
                return int(value)
        return default


def parse(head: bytes) -> Request:
    """Return the request with this head. Raises `Refusal`, after which the connection can't be used any more."""
    found = _HEAD.fullmatch(head)
    if found is None:
        raise Refusal(400, "this is not an HTTP/1.1 request")
    method, target, major, minor = found.groups()
    if major != b"1":
        raise Refusal(505, "this service only supports HTTP/1.1")
    if method == b"CONNECT":
        raise Refusal(501, "this service makes no tunnels")
    request = Request(method.decode(), (target if target[0] == _SLASH else _path_of(target)).decode())
    host: bytes | None = None
    options: list[bytes] = []  # those of all `Connection` fields belong together
    for name, value in _FIELDS.findall(head, found.end(4)):
        name, value = name.lower(), value.strip(b" \t")
        if name == b"host":
            if host is not None or not _is_host(value):
                raise Refusal(400, "Host must be one name or address, with a port or without")
            host = value
        elif name == b"connection":
            options += [it.strip() for it in value.lower().split(b",")]
        else:
            _read_field(request, name, value)
    if minor == b"0":
        request.expects = False  # a client of HTTP/1.0 would take the 100 for the answer
        request.keep_alive = b"keep-alive" in options
        request.fields = "Connection: keep-alive\r\n"
    elif host is None:
        raise Refusal(400, "a request of HTTP/1.1 needs a Host")
    if b"close" in options:
        request.keep_alive = False
    return request


@lru_cache  # a client sends the same one with every request
def _is_host(value: bytes) -> bool:
    return _HOST.fullmatch(value) is not None


def _path_of(target: bytes) -> bytes:
    """Return the path and the query of a whole address. Raises `Refusal`."""
    address = _ABSOLUTE.match(target)
    if address is None or address[1].startswith(b":") or not _is_host(address[1]):
        raise Refusal(400, "the target of a request is a path or an http address")
    rest = target[address.end() :]
    return rest if rest.startswith(b"/") else b"/" + rest


def _read_field(request: Request, name: bytes, value: bytes) -> None:
    if name == b"expect":
        request.expects |= b"100-continue" in [it.strip() for it in value.lower().split(b",")]
    elif name == b"transfer-encoding":
        raise Refusal(501, "send the body with a Content-Length: this service doesn't support Transfer-Encoding")
    else:
        _read_length(request, value)


def _read_length(request: Request, value: bytes) -> None:
    if not value.isdigit() or len(value) > _MOST_DIGITS or request.length is not None:
        raise Refusal(400, f"Content-Length must be one whole number of at most {_MOST_DIGITS} digits")
    request.length = int(value)
    if request.length > MOST_BODY:
        raise Refusal(413, f"a body may have at most {MOST_BODY} bytes")


def response(body: bytes, kind: str, *, status: int = 200, closing: bool = False, fields: str = "") -> bytes:
    """Return a response with this body. `closing` says that the connection ends with it."""
    if closing:
        fields += "Connection: close\r\n"
    return f"{_BEGINNINGS[status]}{kind}\r\nContent-Length: {len(body)}\r\n{fields}\r\n".encode() + body
