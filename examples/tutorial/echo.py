"""A server that sends back what it receives, and two clients."""

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


def main(model):
    with listen(model, "127.0.0.1", 0) as listener, model.TaskGroup() as group:
        group.spawn(serve, model, listener)
        for word in (b"hello", b"and again"):
            with connect(model, *listener.address, timeout=5) as stream:
                stream.send(word)
                print(stream.receive())
        listener.close()


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
