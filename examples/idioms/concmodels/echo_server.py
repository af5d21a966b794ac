"""A listener gives a stream for each connection, and a group has a task for each stream."""

from concmodels import load
from concmodels.net import connect, listen


def serve(model, listener):
    with model.TaskGroup() as group:
        for stream in listener:
            group.spawn(echo, stream)


def echo(stream):
    with stream:
        while data := stream.receive():
            stream.send(data)


def ask(model, address):
    with connect(model, *address) as client:
        client.send(b"hello\n")
        answer = client.receive()
        print(answer.decode(), end="")


def main(model):
    listener = listen(model, "127.0.0.1", 0)
    with model.TaskGroup() as group:
        group.spawn(serve, model, listener)
        with listener:
            ask(model, listener.address)


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
