"""A listener serves in the background; each connection is a task with a stream."""

import anyio
from anyio.abc import SocketAttribute


async def echo(stream):
    async with stream:
        async for data in stream:
            await stream.send(data)


async def ask(host, port):
    async with await anyio.connect_tcp(host, port) as client:
        await client.send(b"hello\n")
        print((await client.receive()).decode(), end="")


async def main():
    async with (
        await anyio.create_tcp_listener(
            local_host="127.0.0.1"
        ) as listener,
        anyio.create_task_group() as group,
    ):
        group.start_soon(listener.serve, echo)
        await ask(
            *listener.extra(SocketAttribute.local_address)
        )
        group.cancel_scope.cancel()


if __name__ == "__main__":
    anyio.run(main)
