"""The answers of the service, and what it knows of its connections; nothing here waits."""

import json
from _thread import allocate_lock
from socket import SHUT_RD
from urllib.parse import unquote_to_bytes

from concmodels.serve.http import Refusal, Request, response
from concmodels.work.cpu import fib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

MOST_MS = 10_000
LARGEST_FIB = 30

_TEXT = "text/plain; charset=utf-8"
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>concmodels.serve on {model}</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 3rem auto; padding: 0 1rem }}
dt {{ float: left; clear: left; width: 11rem }}
dd {{ font-variant-numeric: tabular-nums; margin-left: 11rem }}
</style>
<h1>{model}</h1>
<dl>
<dt>tasks</dt><dd>{tasks}</dd>
<dt>connections now</dt><dd>{connections}</dd>
<dt>requests so far</dt><dd>{requests}</dd>
</dl>
<p>Ask for <a href="/json">/json</a>, <a href="/io?ms=10">/io?ms=10</a> (which sleeps),
<a href="/cpu?n=16">/cpu?n=16</a> (which computes) or <a href="/echo?good%20day">/echo?good%20day</a>.</p>
<p>This is <code>python -m concmodels.serve</code>, an example of concurrency, with a task for each connection, not a
web server for production.</p>
</html>
"""


class Visit:
    """One connection of a client, as long as its task runs: `with service.visit(stream) as visit:`."""

    __slots__ = ("begun", "idle", "is_slow", "requests", "service", "stream")

    def __init__(self, service: Service, stream: Any) -> None:
        self.service = service
        self.stream = stream
        self.idle = False
        """Whether its task waits for the next request."""
        self.requests = 0
        self.begun: tuple[int, float] | None = None
        """The head of which request is coming, and when a part of it was seen for the first time."""
        self.is_slow = False
        """Whether that has taken too long."""

    def __enter__(self) -> Self:
        self.service.visits.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.service.end(self)

    def expect_another(self) -> None:
        """Note that the task waits for the next request; when the service stops, only for what has come already.

        In this order: a service that stops says so first, and then looks who waits. One of the two sees the other.
        """
        self.idle = True
        if self.service.stopping:
            self.receive_no_more()

    def receive_no_more(self) -> None:
        """Have the stream end for its task after what is there: perhaps a request that has just come."""
        try:
            self.stream.socket.shutdown(SHUT_RD)
        except OSError:
            return  # the connection has ended by itself

    def end_slow_head(self, now: float, longest_s: float) -> None:
        """Have the stream end for its task if it has waited too long for the rest of a head. Called now and then."""
        if not (self.idle and self.stream.received.strip(b"\r\n")):  # empty lines may stand before a head
            self.begun = None
        elif self.begun is None or self.begun[0] != self.requests:
            self.begun = self.requests, now
        elif now - self.begun[1] >= longest_s:
            self.is_slow = True
            self.receive_no_more()

    def begin_request(self) -> None:
        """Note that a request has come: from here on it is answered, also by a service that stops."""
        self.idle = False
        self.requests += 1

    def is_last(self, request: Request) -> bool:
        """Return whether the connection ends with the answer to this request."""
        return self.service.stopping or not request.keep_alive


class Service:
    """The service of one worker. Its page shows `name` as what it runs on."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.visits: set[Visit] = set()
        self.stopping = False
        self._ended_requests = 0
        self._told: set[str] = set()
        self._lock = allocate_lock()  # held for an addition, so it keeps no task waiting
        self._answers: dict[str, tuple[tuple[str, ...], Callable[[Request], tuple[bytes, str]]]] = {
            "/": (("GET", "HEAD"), self._page),
            "/json": (("GET", "HEAD"), self._json),
            "/io": (("GET", "HEAD"), self._io),
            "/cpu": (("GET", "HEAD"), self._cpu),
            "/echo": (("GET", "HEAD", "POST"), self._echo),
        }

    # Connections.

    def visit(self, stream: Any) -> Visit:
        """Return the visit of a client, for a `with`."""
        return Visit(self, stream)

    def end(self, visit: Visit) -> None:
        """Note that a connection has ended."""
        self.visits.discard(visit)
        with self._lock:
            self._ended_requests += visit.requests

    def stop(self) -> None:
        """Let no connection wait for another request. Requests that are being answered get their answer.

        An idle connection receives nothing more: its task gets the bytes that have arrived, and then the end of the
        stream. So no request that has arrived is lost.
        """
        self.stopping = True
        for visit in list(self.visits):
            if visit.idle:
                visit.receive_no_more()

    def end_slow_heads(self, now: float, longest_s: float) -> None:
        """End the waits for heads that have been coming for so many seconds, on the model's clock."""
        for visit in list(self.visits):
            visit.end_slow_head(now, longest_s)

    def tell_once(self, sentence: str) -> None:
        """Say on standard error what goes wrong, when it does for the first time."""
        if sentence not in self._told:
            from concmodels.programs.output.streams import say

            self._told.add(sentence)
            say("concmodels.serve", sentence)

    # Answers.

    def pause_s(self, request: Request) -> float:
        """Return how many seconds are to be slept before this request is answered."""
        if request.path != "/io":
            return 0
        try:
            return request.number("ms", 10, MOST_MS) / 1000
        except Refusal:
            return 0  # the answer says so

    def answer(self, request: Request, closing: bool) -> bytes:
        """Return the response to a request."""
        fields = "" if closing else request.fields
        try:
            body, kind = self._find(request)(request)
            sent = response(body, kind, closing=closing, fields=fields)
        except Refusal as refusal:
            refusal.fields += fields
            sent = self.refuse(refusal, closing)
        if request.method == "HEAD":
            return sent[: sent.index(b"\r\n\r\n") + 4]
        return sent

    def refuse(self, refusal: Refusal, closing: bool = True) -> bytes:
        """Return the response that says what is wrong."""
        body = f"{refusal}\n".encode()
        return response(body, _TEXT, status=refusal.status, closing=closing, fields=refusal.fields)

    def _find(self, request: Request) -> Callable[[Request], tuple[bytes, str]]:
        if request.path not in self._answers:
            raise Refusal(404, f"there is no such page; there are {', '.join(self._answers)}")
        methods, found = self._answers[request.path]
        if request.method not in methods:
            allowed = ", ".join(methods)
            raise Refusal(405, f"{request.path} takes {allowed}", f"Allow: {allowed}\r\n")
        return found

    def _page(self, _request: Request) -> tuple[bytes, str]:
        visits = list(self.visits)
        with self._lock:
            requests = self._ended_requests + sum(visit.requests for visit in visits)
        text = _PAGE.format(model=self.name, tasks=len(visits) + 3, connections=len(visits), requests=f"{requests:,}")
        return text.encode(), "text/html; charset=utf-8"

    def _json(self, _request: Request) -> tuple[bytes, str]:
        return json.dumps({"message": "Hello, world!"}).encode(), "application/json"

    def _io(self, request: Request) -> tuple[bytes, str]:
        return b"slept for %d ms\n" % request.number("ms", 10, MOST_MS), _TEXT

    def _cpu(self, request: Request) -> tuple[bytes, str]:
        n = request.number("n", 16, LARGEST_FIB)
        return b"fibonacci(%d) is %d\n" % (n, fib(n)), _TEXT

    def _echo(self, request: Request) -> tuple[bytes, str]:
        if request.method == "POST":
            return request.body, "application/octet-stream"
        return unquote_to_bytes(request.query), _TEXT
