"""A channel without a partner: Stackless refuses to block the last tasklet that could run."""

from concmodels import SyncModel, load, stackless
from concmodels.errors import Deadlock


def lonely(model: SyncModel) -> None:
    model.Channel(0).receive()


if __name__ == "__main__":
    try:
        stackless.channel().receive()
    except RuntimeError as error:
        print("Stackless:", error)
    model = load("tasklets")
    try:
        model.run(lonely, model)
    except Deadlock as error:
        print("the model:", str(error).splitlines()[0])
