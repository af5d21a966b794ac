"""A baker and a seller, two tasks, with a shelf between them that holds two loaves."""

from concmodels import Channel, SyncModel, load


def main(model: SyncModel) -> None:
    shelf = model.Channel(2)
    with model.TaskGroup() as group:
        group.spawn(bake, shelf)
        for loaf in shelf:
            print("sold", loaf)
    print("closed")


def bake(shelf: Channel[str]) -> None:
    for loaf in ("rye", "wheat", "spelt", "oat"):
        shelf.send(loaf)
    shelf.close()


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
