"""The service without a framework, on a model of ours: a task for each connection, which asks the database by psycopg.

    python -m benchmarks.web.stack.apps.ours threads 8000

This is all that a server needs that stands behind nginx, where requests arrive whole and well formed.
"""

import json
import os
import sys
from importlib import import_module

from benchmarks.web.stack.apps import question
from concmodels import catalog
from concmodels.net import listen

HEAD_END = b"\r\n\r\n"
DATABASES = {"threads": "plain", "asyncio": "awaited"}


def serve(model, port, database):
    """Serve until the process is ended."""
    with listen(model, "127.0.0.1", port) as listener, model.TaskGroup() as group:
        for stream in listener:
            group.spawn(converse, stream, database)


def converse(stream, database):
    """Answer the requests of one connection, one after the other."""
    with stream:
        while (head := stream.receive_until(HEAD_END)).endswith(HEAD_END):
            path = head.split(b" ", 2)[1]
            found = database.row() if path == b"/row" else other(path)
            stream.send(response(found))


async def async_serve(model, port, database):
    """The async form of `serve`."""
    with listen(model, "127.0.0.1", port) as listener:
        async with model.TaskGroup() as group:
            async for stream in listener:
                group.spawn(async_converse, stream, database)


async def async_converse(stream, database):
    """The async form of `converse`."""
    with stream:
        while (head := await stream.receive_until(HEAD_END)).endswith(HEAD_END):
            path = head.split(b" ", 2)[1]
            found = await database.row() if path == b"/row" else other(path)
            await stream.send(response(found))


def other(path):
    """Return what is answered without the database."""
    return question.MESSAGE if path == b"/json" else os.getpid()


def response(content):
    """Return the answer as it is sent."""
    body = json.dumps(content).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


def main(name, port):
    """Serve on a model."""
    model = catalog.load(name)
    database = import_module(f"benchmarks.web.stack.apps.{DATABASES[name]}")
    model.run(async_serve if catalog.facts(name).is_async else serve, model, port, database)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
