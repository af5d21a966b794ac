"""`start_server` starts a task for each connection; leaving the `with` closes the server."""

import asyncio


async def echo(reader, writer):
    async for line in reader:
        writer.write(line)
        await writer.drain()
    writer.close()
    await writer.wait_closed()


async def ask(host, port):
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(b"hello\n")
    print((await reader.readline()).decode(), end="")
    writer.close()
    await writer.wait_closed()


async def main():
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    async with server:
        await ask(*server.sockets[0].getsockname())


if __name__ == "__main__":
    asyncio.run(main())
