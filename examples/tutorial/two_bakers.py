"""Two bakers share a shelf. Neither of them closes it: their shop does, when both have gone home."""

from concmodels import load


def main(model):
    shelf = model.Channel(2)
    with model.TaskGroup() as group:
        group.spawn(shop, model, shelf)
        print("sold", len(list(shelf)), "loaves")


def shop(model, shelf):
    with model.TaskGroup() as bakers:
        bakers.spawn(bake, shelf)
        bakers.spawn(bake, shelf)
    shelf.close()


def bake(shelf):
    for loaf in ("rye", "wheat", "spelt", "oat"):
        shelf.send(loaf)


if __name__ == "__main__":
    threads = load("threads")
    threads.run(main, threads)
