"""A hundred tasks in a ring. Each adds one, and knows only its neighbours."""

from itertools import pairwise

from concmodels import Channel, SyncModel, load

NODES = 100


def main(model: SyncModel) -> None:
    links = [model.Channel(8) for _ in range(NODES + 1)]
    with model.TaskGroup() as group:
        for inbox, outbox in pairwise(links):
            group.spawn(node, inbox, outbox)
        for number in (0, 1000, 2000):
            links[0].send(number)
        links[0].close()
        for number in links[-1]:
            print("came round:", number)


def node(inbox: Channel[int], outbox: Channel[int]) -> None:
    for number in inbox:
        outbox.send(number + 1)
    outbox.close()


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
