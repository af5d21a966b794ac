"""`nursery.start` waits until the server listens; each connection is a task with a stream."""

from functools import partial

import trio


async def echo(stream):
    async for data in stream:
        await stream.send_all(data)


async def ask(host, port):
    async with await trio.open_tcp_stream(
        host, port
    ) as client:
        await client.send_all(b"hello\n")
        print((await client.receive_some()).decode(), end="")


async def main():
    serve = partial(trio.serve_tcp, echo, 0, host="127.0.0.1")
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(serve)
        await ask(*listeners[0].socket.getsockname())
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    trio.run(main)
