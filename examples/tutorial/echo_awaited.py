"""A server that sends back what it receives, and two clients, with `await`."""

from concmodels import AsyncModel, load
from concmodels.net import AsyncListener, AsyncStream, connect, listen


async def serve(model: AsyncModel, listener: AsyncListener) -> None:
    async with model.TaskGroup() as group:
        async for stream in listener:
            group.spawn(echo, stream)


async def echo(stream: AsyncStream) -> None:
    with stream:
        while data := await stream.receive():
            await stream.send(data)


async def main(model: AsyncModel) -> None:
    with listen(model, "127.0.0.1", 0) as listener:
        async with model.TaskGroup() as group:
            group.spawn(serve, model, listener)
            for word in (b"hello", b"and again"):
                with await connect(model, *listener.address, timeout=5) as stream:
                    await stream.send(word)
                    print(await stream.receive())
            listener.close()


if __name__ == "__main__":
    model = load("asyncio")
    model.run(main, model)
