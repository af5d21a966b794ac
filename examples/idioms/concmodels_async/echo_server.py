"""A listener gives a stream for each connection, and a group has a task for each stream."""

from concmodels import load
from concmodels.net import connect, listen


async def serve(model, listener):
    async with model.TaskGroup() as group:
        async for stream in listener:
            group.spawn(echo, stream)


async def echo(stream):
    with stream:
        while data := await stream.receive():
            await stream.send(data)


async def ask(model, address):
    with await connect(model, *address) as client:
        await client.send(b"hello\n")
        answer = await client.receive()
        print(answer.decode(), end="")


async def main(model):
    listener = listen(model, "127.0.0.1", 0)
    async with model.TaskGroup() as group:
        group.spawn(serve, model, listener)
        with listener:
            await ask(model, listener.address)


if __name__ == "__main__":
    model = load("asyncio")
    model.run(main, model)
