"""A server that sends back what it receives, and two clients."""

from concmodels import SyncModel, load
from concmodels.net import Listener, Stream, connect, listen


def serve(model: SyncModel, listener: Listener) -> None:
    with model.TaskGroup() as group:
        for stream in listener:
            group.spawn(echo, stream)


def echo(stream: Stream) -> None:
    with stream:
        while data := stream.receive():
            stream.send(data)


def main(model: SyncModel) -> None:
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
