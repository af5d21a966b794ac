"""`concmodels.serve` over TLS, on a model: the same answers, on streams whose socket speaks TLS.

    python -m benchmarks.web.over_tls asyncio 8000 --ssl-certfile FILE --ssl-keyfile FILE

A stream takes any socket that never waits, so only the handshake is written here, with the model's own waits.
"""

import ssl
import sys
from typing import Any

from benchmarks.web import tls
from concmodels import catalog
from concmodels.net import AsyncStream, Stream, listen
from concmodels.serve.service import Service
from concmodels.serve.tasks import async_converse, converse


def serve(model: Any, port: int, context: ssl.SSLContext, service: Service) -> None:
    """Serve until the process is ended."""
    with listen(model, tls.HOST, port) as listener, model.TaskGroup() as group:
        for stream in listener:
            group.spawn(welcome, model, stream, context, service)


def welcome(model: Any, stream: Stream, context: ssl.SSLContext, service: Service) -> None:
    """Shake hands, and serve the connection until it ends."""
    with wrapped(context, stream) as secret:
        while True:
            try:
                secret.do_handshake()
                break
            except ssl.SSLWantReadError:
                model.wait_readable(secret)
            except OSError:
                return  # the client has gone, or speaks something else
        converse(model, Stream(model, secret), service)


async def async_serve(model: Any, port: int, context: ssl.SSLContext, service: Service) -> None:
    """The async form of `serve`."""
    with listen(model, tls.HOST, port) as listener:
        async with model.TaskGroup() as group:
            async for stream in listener:
                group.spawn(async_welcome, model, stream, context, service)


async def async_welcome(model: Any, stream: AsyncStream, context: ssl.SSLContext, service: Service) -> None:
    """The async form of `welcome`."""
    with wrapped(context, stream) as secret:
        while True:
            try:
                secret.do_handshake()
                break
            except ssl.SSLWantReadError:
                await model.wait_readable(secret)
            except OSError:
                return
        await async_converse(model, AsyncStream(model, secret), service)


def wrapped(context: ssl.SSLContext, stream: Stream | AsyncStream) -> ssl.SSLSocket:
    """Return the socket of a stream with TLS on it, before the handshake."""
    return context.wrap_socket(stream.socket, server_side=True, do_handshake_on_connect=False)


def main(name: str, port: int, certificate: str) -> None:
    """Serve on a model."""
    model = catalog.load(name)
    program = async_serve if catalog.facts(name).is_async else serve
    model.run(program, model, port, tls.of_server(certificate), Service(name))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[4])
