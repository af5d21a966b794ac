"""The same shelf, and nobody who takes anything from it: where does the baker have to wait?"""

from concmodels import SyncModel, load


def main(model: SyncModel) -> None:
    shelf = model.Channel(2)
    for loaf in ("rye", "wheat", "spelt"):
        try:
            shelf.send(loaf, timeout=0.1)
            print("on the shelf:", loaf)
        except TimeoutError:
            print("waited 0.1 seconds, and there was still no room for", loaf)


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
