"""The service as a bare WSGI application: /json, /io, which sleeps for 10 ms, and /cpu?n=27, which computes."""

import time

JSON = b'{"message": "Hello, world!"}'


def app(environ, start_response):
    """Answer one request."""
    kind = "text/plain"
    if environ["PATH_INFO"] == "/io":
        time.sleep(0.01)
        body = b"slept for 10 ms\n"
    elif environ["PATH_INFO"] == "/cpu":
        n = int(environ["QUERY_STRING"].removeprefix("n="))
        body = b"fibonacci(%d) is %d\n" % (n, fib(n))
    else:
        kind, body = "application/json", JSON
    start_response("200 OK", [("Content-Type", kind), ("Content-Length", str(len(body)))])
    return [body]


def fib(n):
    """Return a Fibonacci number, slowly."""
    return n if n < 2 else fib(n - 1) + fib(n - 2)
