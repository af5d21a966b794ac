"""A listener gives a stream for each connection, and a group has a task for each stream."""

from concmodels import load, net

model = load("threads")


def serve(listener: net.Listener) -> None:
    with model.TaskGroup() as group:
        for stream in listener:
            group.spawn(echo, stream)


def echo(stream: net.Stream) -> None:
    with stream:
        while data := stream.receive():
            stream.send(data)


def ask(address: tuple[str, int | None]) -> None:
    with net.connect(model, *address) as client:
        client.send(b"hello\n")
        answer = client.receive()
        print(answer.decode(), end="")


def main() -> None:
    listener = net.listen(model, "127.0.0.1", 0)
    with model.TaskGroup() as group:
        group.spawn(serve, listener)
        with listener:
            ask(listener.address)


if __name__ == "__main__":
    model.run(main)
