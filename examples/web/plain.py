"""A web service: a task for each connection, which waits as if for a database. Fifty clients ask at once."""

from concmodels import SyncModel, load
from concmodels.net import Listener, Stream, connect, listen

ASK = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nready\n"
CLIENTS, WAIT = 50, 0.05


def serve(model: SyncModel, listener: Listener) -> None:
    with model.TaskGroup() as group:
        for stream in listener:
            group.spawn(answer_all, model, stream)


def answer_all(model: SyncModel, stream: Stream) -> None:
    with stream:
        while stream.receive_until(b"\r\n\r\n"):
            model.sleep(WAIT)  # the database
            stream.send(ANSWER)


def ask(model: SyncModel, address: tuple[str, int | None], answers: list[bytes]) -> None:
    with connect(model, *address, timeout=5) as stream:
        stream.send(ASK)
        answers.append(stream.receive_until(b"ready\n"))


def main(model: SyncModel) -> None:
    answers: list[bytes] = []
    begin = model.now()
    with listen(model, "127.0.0.1", 0) as listener, model.TaskGroup() as group:
        group.spawn(serve, model, listener)
        with model.TaskGroup() as clients:
            for _ in range(CLIENTS):
                clients.spawn(ask, model, listener.address, answers)
        listener.close()
    sooner = model.now() - begin < CLIENTS * WAIT
    print(f"{answers.count(ANSWER)} answers, {'sooner' if sooner else 'no sooner'} than one after the other")


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
