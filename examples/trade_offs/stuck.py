"""Two tasks wait for each other. What does the program say?"""

from concmodels import Channel, SyncModel, load
from concmodels.errors import Deadlock


def main(model: SyncModel) -> None:
    tea, milk = model.Channel(0, "tea"), model.Channel(0, "milk")
    with model.TaskGroup() as group:
        group.spawn(after_you, tea, milk, name="Ann")
        group.spawn(after_you, milk, tea, name="Bob")


def after_you(mine: Channel[str], yours: Channel[str]) -> None:
    yours.receive()
    mine.send("here you are")


if __name__ == "__main__":
    model = load("greenlet")
    try:
        model.run(main, model, deadlock_after=0.5)
    except Deadlock as error:
        print(error)
