"""Two tasks greet each other. Then both send at the same time, and neither receives."""

import sys

from concmodels import Channel, SyncModel, load, trace
from concmodels.errors import Deadlock


def main(model: SyncModel) -> None:
    to_ada, to_ben = model.Channel(0, "to Ada"), model.Channel(0, "to Ben")
    with model.TaskGroup() as group:
        group.spawn(ada, to_ada, to_ben)
        group.spawn(ben, to_ada, to_ben)


def ada(to_ada: Channel[str], to_ben: Channel[str]) -> None:
    to_ben.send("hello")
    to_ada.receive()
    to_ben.send("how are you?")


def ben(to_ada: Channel[str], to_ben: Channel[str]) -> None:
    to_ben.receive()
    to_ada.send("hello")
    to_ada.send("how are you?")


if __name__ == "__main__":
    try:
        with trace.to(sys.argv[1]):
            model = load("greenlet")
            model.run(main, model)
    except Deadlock as error:
        print(error)
