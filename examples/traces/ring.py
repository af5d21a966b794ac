"""A token goes three times round a ring of five tasks: `python ring.py MODEL FILE`."""

import sys

from concmodels import Channel, SyncModel, load, trace


def main(model: SyncModel) -> None:
    links = [model.Channel(1, f"link {number}") for number in range(5)]
    with model.TaskGroup() as group:
        for number in range(4):
            group.spawn(node, links[number], links[number + 1], name=f"node {number + 1}")
        for token in range(3):
            links[0].send(token)
            links[4].receive()
        links[0].close()


def node(inbox: Channel[int], outbox: Channel[int]) -> None:
    for token in inbox:
        outbox.send(token)
    outbox.close()


if __name__ == "__main__":
    with trace.to(sys.argv[2]):
        model = load(sys.argv[1])
        model.run(main, model)
