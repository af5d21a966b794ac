"""A listener gives a stream for each connection, and a group has a task for each stream."""

from concmodels import load, net

model = load("asyncio")


async def serve(listener: net.AsyncListener) -> None:
    async with model.TaskGroup() as group:
        async for stream in listener:
            group.spawn(echo, stream)


async def echo(stream: net.AsyncStream) -> None:
    with stream:
        while data := await stream.receive():
            await stream.send(data)


async def ask(address: tuple[str, int | None]) -> None:
    with await net.connect(model, *address) as client:
        await client.send(b"hello\n")
        answer = await client.receive()
        print(answer.decode(), end="")


async def main() -> None:
    listener = net.listen(model, "127.0.0.1", 0)
    async with model.TaskGroup() as group:
        group.spawn(serve, listener)
        with listener:
            await ask(listener.address)


if __name__ == "__main__":
    model.run(main)
