"""The baker goes home without closing the shelf, and the seller waits for a loaf that nobody will bake."""

from concmodels import Channel, SyncModel, load
from concmodels.errors import Deadlock


def main(model: SyncModel) -> None:
    shelf = model.Channel(2, "shelf")
    with model.TaskGroup() as group:
        group.spawn(bake, shelf)
        for loaf in shelf:
            print("sold", loaf)


def bake(shelf: Channel[str]) -> None:
    shelf.send("rye")


if __name__ == "__main__":
    model = load("threads")
    try:
        model.run(main, model)
    except Deadlock as found:
        print(found)
