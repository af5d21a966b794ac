"""As much of HTTP/1.1 as the service needs: a request from the bytes of its head, the bytes of a response.

A library for this, h11, takes about three times as long as everything else that is done for a request.
"""

import re

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

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
"""What a client waits for that asks first whether it should send its body."""

_HEAD = re.compile(
    rb"([!#-'*+.0-9A-Z^-z|~-]+) ([!-~]+) HTTP/(\d)\.(\d)\r\n((?:[!#-'*+.0-9A-Z^-z|~-]+:[^\r\n\0]*\r\n)*)\r\n"
)
_FIELDS = re.compile(rb"^(content-length|transfer-encoding|connection|expect):[ \t]*([^\r]*?)[ \t]*\r$", re.I | re.M)


class Refusal(Exception):
    """The request is answered with this status and one sentence."""

    def __init__(self, status: int, sentence: str, fields: str = "") -> None:
        super().__init__(sentence)
        self.status = status
        self.fields = fields


class Request:
    """A request: what was asked for, and what the head says of the body and of the connection."""

    __slots__ = ("body", "expects", "keep_alive", "length", "method", "path", "query")

    def __init__(self, method: str, target: str, keep_alive: bool) -> None:
        self.method = method
        self.path, _, self.query = target.partition("?")
        self.keep_alive = keep_alive
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
    found = _HEAD.fullmatch(head.lstrip(b"\r\n"))
    if found is None:
        raise Refusal(400, "this is not an HTTP/1.1 request")
    method, target, major, minor, fields = found.groups()
    if major != b"1":
        raise Refusal(505, "this service only supports HTTP/1.1")
    request = Request(method.decode(), target.decode(), minor != b"0")
    for name, value in _FIELDS.findall(fields):
        _read_field(request, name.lower(), value.lower())
    return request


def _read_field(request: Request, name: bytes, value: bytes) -> None:
    if name == b"connection":
        options = [option.strip() for option in value.split(b",")]
        request.keep_alive = b"close" not in options and (request.keep_alive or b"keep-alive" in options)
    elif name == b"expect":
        request.expects = value == b"100-continue"
    elif name == b"transfer-encoding":
        raise Refusal(501, "send the body with a Content-Length: this service doesn't support Transfer-Encoding")
    elif not value.isdigit() or request.length not in (None, int(value[:20])):
        raise Refusal(400, "Content-Length must be one whole number")
    else:
        request.length = int(value[:20])
        if request.length > MOST_BODY:
            raise Refusal(413, f"a body may have at most {MOST_BODY} bytes")


def response(body: bytes, kind: str, *, status: int = 200, closing: bool = False, fields: str = "") -> bytes:
    """Return a response with this body. `closing` says that the connection ends with it."""
    if closing:
        fields += "Connection: close\r\n"
    head = f"HTTP/1.1 {status} {REASONS[status]}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{fields}\r\n"
    return head.encode() + body
