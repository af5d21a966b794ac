"""A baker that is three times as fast as the seller, and a shelf of some capacity between them."""

import math
import sys

from concmodels import Channel, SyncModel, load, trace


def main(model: SyncModel, capacity: float) -> None:
    shelf = model.Channel(capacity, "shelf")
    with model.TaskGroup() as group:
        group.spawn(bake, model, shelf, name="baker")
        group.spawn(sell, model, shelf, name="seller")


def bake(model: SyncModel, shelf: Channel[int]) -> None:
    for loaf in range(30):
        model.sleep(0.002)
        shelf.send(loaf)
    shelf.close()


def sell(model: SyncModel, shelf: Channel[int]) -> None:
    for _ in shelf:
        model.sleep(0.006)


if __name__ == "__main__":
    with trace.to(sys.argv[2]):
        model = load("threads")
        capacity = math.inf if sys.argv[1] == "inf" else int(sys.argv[1])
        model.run(main, model, capacity)
