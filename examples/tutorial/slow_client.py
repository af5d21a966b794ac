"""One client says nothing. A second one says hello: is it answered?"""

from collections.abc import Callable

from concmodels import SyncModel, load
from concmodels.net import Listener, Stream, connect, listen


def one_by_one(model: SyncModel, listener: Listener) -> None:
    for stream in listener:
        echo(stream)


def a_task_each(model: SyncModel, listener: Listener) -> None:
    with model.TaskGroup() as group:
        for stream in listener:
            group.spawn(echo, stream)


def echo(stream: Stream) -> None:
    with stream:
        while data := stream.receive():
            stream.send(data)


def answer(model: SyncModel, serve: Callable[[SyncModel, Listener], None]) -> str:
    with listen(model, "127.0.0.1", 0) as listener, model.TaskGroup() as group:
        group.spawn(serve, model, listener)
        with connect(model, *listener.address), connect(model, *listener.address) as second:
            second.send(b"hello")
            try:
                return second.receive(timeout=0.5).decode()
            except TimeoutError:
                return "no answer in half a second"
            finally:
                listener.close()


def main(model: SyncModel) -> None:
    for serve in (one_by_one, a_task_each):
        print(f"{serve.__name__}: {answer(model, serve)}")


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
