"""The two pages, and how a request is found in what has come."""

PAUSE_S = 0.01


def _answer(kind: str, body: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return (head + body).encode()


JSON = _answer("application/json", '{"message": "Hello, world!"}')
WAITED = _answer("text/plain", "slept for 10 ms\n")


def first(data: bytes) -> tuple[bytes | None, bytes]:
    """Return the answer to the first request in these bytes, and what follows it; None if more is to come."""
    head, end, rest = data.partition(b"\r\n\r\n")
    if not end:
        return None, data
    return (WAITED if head.startswith(b"GET /io") else JSON), rest
