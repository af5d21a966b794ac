"""Two bakers share a shelf. Neither of them closes it: their shop does, when both have gone home."""

from concmodels import Channel, SyncModel, load


def main(model: SyncModel) -> None:
    shelf = model.Channel(2)
    with model.TaskGroup() as group:
        group.spawn(shop, model, shelf)
        print("sold", len(list(shelf)), "loaves")


def shop(model: SyncModel, shelf: Channel[str]) -> None:
    with model.TaskGroup() as bakers:
        bakers.spawn(bake, shelf)
        bakers.spawn(bake, shelf)
    shelf.close()


def bake(shelf: Channel[str]) -> None:
    for loaf in ("rye", "wheat", "spelt", "oat"):
        shelf.send(loaf)


if __name__ == "__main__":
    threads = load("threads")
    threads.run(main, threads)
