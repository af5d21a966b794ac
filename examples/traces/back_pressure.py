"""A baker that is three times as fast as the seller, and a shelf of some capacity between them."""

import sys

from concmodels import load, trace


def main(model, capacity):
    shelf = model.Channel(capacity, "shelf")
    with model.TaskGroup() as group:
        group.spawn(bake, model, shelf)
        group.spawn(sell, model, shelf)


def bake(model, shelf):
    for loaf in range(16):
        model.sleep(0.002)
        shelf.send(loaf)
    shelf.close()


def sell(model, shelf):
    for _ in shelf:
        model.sleep(0.006)


if __name__ == "__main__":
    with trace.to(sys.argv[2]):
        model = load("threads")
        model.run(main, model, float(sys.argv[1]))
