"""A web service: a task for each connection, which waits as if for a database. Fifty clients ask at once."""

from concmodels import AsyncModel, load
from concmodels.net import AsyncListener, AsyncStream, connect, listen

ASK = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nready\n"
CLIENTS, WAIT = 50, 0.05


async def serve(model: AsyncModel, listener: AsyncListener) -> None:
    async with model.TaskGroup() as group:
        async for stream in listener:
            group.spawn(answer_all, model, stream)


async def answer_all(model: AsyncModel, stream: AsyncStream) -> None:
    with stream:
        while await stream.receive_until(b"\r\n\r\n"):
            await model.sleep(WAIT)  # the database
            await stream.send(ANSWER)


async def ask(model: AsyncModel, address: tuple[str, int | None], answers: list[bytes]) -> None:
    with await connect(model, *address, timeout=5) as stream:
        await stream.send(ASK)
        answers.append(await stream.receive_until(b"ready\n"))


async def main(model: AsyncModel) -> None:
    answers: list[bytes] = []
    begin = model.now()
    with listen(model, "127.0.0.1", 0) as listener:
        async with model.TaskGroup() as group:
            group.spawn(serve, model, listener)
            async with model.TaskGroup() as clients:
                for _ in range(CLIENTS):
                    clients.spawn(ask, model, listener.address, answers)
            listener.close()
    sooner = model.now() - begin < CLIENTS * WAIT
    print(f"{answers.count(ANSWER)} answers, {'sooner' if sooner else 'no sooner'} than one after the other")


if __name__ == "__main__":
    model = load("asyncio")
    model.run(main, model)
