"""The service as a bare ASGI application: /json, /io, which sleeps for 10 ms, and /cpu?n=27, which computes."""

import asyncio

JSON = b'{"message": "Hello, world!"}'


async def app(scope, receive, send):
    """Answer one request."""
    kind = b"text/plain"
    if scope["path"] == "/io":
        await asyncio.sleep(0.01)
        body = b"slept for 10 ms\n"
    elif scope["path"] == "/cpu":
        n = int(scope["query_string"].removeprefix(b"n="))
        body = b"fibonacci(%d) is %d\n" % (n, fib(n))
    else:
        kind, body = b"application/json", JSON
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def fib(n):
    """Return a Fibonacci number, slowly."""
    return n if n < 2 else fib(n - 1) + fib(n - 2)
