"""Requests that are nearly right, what the service sees in them, and what h11 sees in them."""

import re
from itertools import repeat

import h11

from concmodels.net import Stream
from concmodels.serve import service, tasks

SEEDS = (
    b"GET /json HTTP/1.1\r\nHost: a\r\n\r\n",
    b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody",
    b"POST /echo HTTP/1.0\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\nold",
    b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
    b"HEAD /echo?x HTTP/1.1\r\nhost: a.example:80\r\nAccept: */*\r\n\r\n",
)
LENGTHS = (
    b"0", b"4", b"+4", b"-1", b"4 4", b"4, 4", b"4,5", b"0x4", b"04", b"4_0", b"", b"4\t", b"\xb2", b"1048577",
    b"0" * 18 + b"4", b"0" * 20 + b"41", b"9" * 19, b"9" * 20, b"9" * 30,
)  # fmt: skip
FIELDS = (
    *(b"Content-Length: " + it for it in LENGTHS),
    b"content-length:4", b"Content-Length : 4", b"Content-Length\t: 4", b" Content-Length: 4",
    b"X: y\r\n Content-Length: 4", b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity",
    b"transfer-encoding: xchunked", b"Transfer-Encoding : chunked", b"Connection: close", b"Connection: keep-alive",
    b"Connection: keep-alive, close", b"Host: b", b"Host: a b", b"Host:", b"Host: [::1]:80", b"X: \x00", b"X: \x01",
    b"X: \x7f", b"X: \xff", b"X:y", b": y", b"X y: z", b"X", b"X: y\n", b"X: y\rz", b"Expect: 100-continue",
)  # fmt: skip
TARGETS = (b"/json", b"//json", b"*", b"http://a/json", b"HTTP://a", b"a:80", b"json", b"/\xe4", b"/a b", b"")
VERSIONS = (b"HTTP/1.1", b"HTTP/1.0", b"HTTP/1.9", b"HTTP/2.0", b"HTTP/0.9", b"HTTP/1.10", b"http/1.1", b"HTTP/1.", b"")
CHUNKS = (
    b"4;a=b", b"4;a=\"b\"", b"4 ; a", b"04", b"0" * 30 + b"4", b"+4", b"-4", b"0x4", b"4_0", b" 4", b"4 ", b"", b"5",
    b"3", b"F" * 16, b"F" * 21, b"4\n", b"4\r",
)  # fmt: skip
METHODS = (b"GET", b"POST", b"OPTIONS", b"CONNECT", b"get", b"G(T", b"")


def mutated(draw):
    """The bytes of one to three requests, of which some were changed."""
    return b"".join(_changed(draw, draw.choice(SEEDS)) for _ in range(draw.randint(1, 3)))


def _changed(draw, request):
    for _ in range(draw.choice((0, 0, 0, 1, 1, 1, 2, 3))):
        request = draw.choice(CHANGES)(draw, request)
    return request


def _another_field(draw, request):
    lines = request.split(b"\r\n")
    lines.insert(draw.randint(1, max(1, len(lines) - 2)), draw.choice(FIELDS))
    return b"\r\n".join(lines)


def _another_length(draw, request):
    return request.replace(b"Content-Length: 4", b"Content-Length: " + draw.choice(LENGTHS))


def _another_word(draw, request):
    line, _, rest = request.partition(b"\r\n")
    words = line.split(b" ")
    number = draw.randrange(len(words))
    words[number] = draw.choice((METHODS, TARGETS, VERSIONS)[min(number, 2)])
    return b" ".join(words) + b"\r\n" + rest


def _another_end(draw, request):
    return request.replace(b"\r\n", draw.choice((b"\n", b"\r", b"\r\r\n", b"\n\r\n")), draw.randint(1, 3))


def _another_byte(draw, request):
    at = draw.randrange(len(request)) if request else 0
    byte = draw.choice(b"\0\t\n\v\f\r :,;/aZ0\x7f\x80\xff") if draw.random() < 0.7 else draw.randrange(256)
    return request[:at] + bytes([byte]) + request[at + draw.randint(0, 1) :]


def _line_before(draw, request):
    return draw.choice((b"\r\n", b"\n", b"\r\n\r\n", b" ")) + request


def _other_case(draw, request):
    lines = request.split(b"\r\n")
    number = draw.randrange(len(lines))
    lines[number] = b"".join(draw.choice((it.lower(), it.upper())) for it in re.split(rb"(?<=[\w:])", lines[number]))
    return b"\r\n".join(lines)


def _folded(draw, request):
    at = draw.choice([it.start() for it in re.finditer(rb"[ :]", request)] or [0])
    return request[:at] + b"\r\n" + draw.choice((b" ", b"\t", b"")) + request[at:]


def _another_chunk(draw, request):
    return request.replace(b"\r\n4\r\n", b"\r\n" + draw.choice(CHUNKS) + b"\r\n")


CHANGES = (
    _another_field, _another_field, _another_length, _another_word, _another_end, _another_byte, _line_before,
    _other_case, _folded, _another_chunk,
)  # fmt: skip


class Wire:
    """A socket through which these bytes come, in pieces, and then the end; its client takes every answer at once."""

    def __init__(self, data, pieces):
        self.data, self.pieces, self.sent = data, pieces, b""

    def setblocking(self, flag):
        """It never makes anybody wait."""

    def recv(self, most):
        size = min(most, next(self.pieces))
        taken, self.data = self.data[:size], self.data[size:]
        return taken

    def send(self, data):
        self.sent += data
        return len(data)

    def shutdown(self, how):
        """There is nobody to be told."""


class NoWaiting:
    """A model whose clock stands still, and whose one task never has to wait."""

    def now(self):
        return 0.0

    def sleep(self, seconds):
        """It takes no time."""

    def wait_readable(self, socket, timeout=None):
        """There is always something."""


class Heard(Stream):
    """A stream that remembers the head that was received last."""

    head = b""

    def receive_until(self, *args):
        self.head = super().receive_until(*args)
        return self.head


class Recorder(service.Service):
    """A service that notes what it is asked, and how it has refused to go on."""

    def __init__(self):
        super().__init__("here")
        self.asked, self.refused = [], None

    def answer(self, request, closing):
        self.asked.append((request.method.encode(), f"{request.path}?{request.query}".encode(), request.body))
        return super().answer(request, closing)

    def refuse(self, refusal, closing=True):
        self.refused = (refusal.status, str(refusal)) if closing else None
        return super().refuse(refusal, closing)


def seen_here(data, pieces=None):
    """What the service is asked by these bytes, why it refuses the rest if it does, the last head, and all it sends."""
    wire, model, recorder = Wire(data, pieces or repeat(1 << 30)), NoWaiting(), Recorder()
    stream = Heard(model, wire)
    with recorder.visit(stream) as visit:
        tasks.answer_all(model, stream, recorder, visit)
    return recorder.asked, recorder.refused, stream.head, wire.sent


def seen_by_h11(data):
    """What h11 sees in them: the requests. Empty lines before a request, which it refuses, are taken away."""
    asked = []
    while (found := _next_by_h11(re.sub(rb"\A(?:\r\n)+", b"", data))) is not None:
        request, data, goes_on = found
        asked.append(request)
        if not goes_on:
            break
    return asked


def _next_by_h11(data):
    """The first request, the bytes behind it, and whether the connection goes on; None if there is none."""
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=16384)
    connection.receive_data(data)
    connection.receive_data(b"")
    body = b""
    while True:
        try:
            event = connection.next_event()
        except h11.RemoteProtocolError:
            return None
        if isinstance(event, h11.Request):
            request = event
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage):
            rest = connection.trailing_data[0]
            return (request.method, _path_of(request.target), bytes(body)), rest, _goes_on(connection, request)
        else:
            return None


def _path_of(target):
    """The path and the query of a target, which may be a whole address."""
    path = re.sub(rb"(?i)\Ahttps?://[^/?]*", b"", target)
    path = path if path.startswith(b"/") else b"/" + path
    return path if b"?" in path else path + b"?"


def _goes_on(connection, request):
    """Answer a request; return whether the connection is kept. (h11 keeps none of HTTP/1.0, even if it is asked to.)"""
    values = b",".join(value.lower() for name, value in request.headers if name == b"connection")
    options = [option.strip() for option in values.split(b",")]
    if request.method == b"CONNECT" or b"close" in options:
        return False
    if request.http_version == b"1.0":
        return b"keep-alive" in options
    connection.send(h11.Response(status_code=200, headers=[("Content-Length", "0")]))
    connection.send(h11.EndOfMessage())
    return connection.our_state is h11.DONE
