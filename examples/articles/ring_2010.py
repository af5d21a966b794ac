"""The ring of 2010 as a Stackless program: 300 tasklets, and 10,000 messages that follow one another.

python examples/articles/ring_2010.py [MESSAGES]
"""

import sys

import concmodels.stackless as stackless

NODES = 300


def node(inbox: stackless.channel, outbox: stackless.channel) -> None:
    while True:
        outbox.send(inbox.receive())


def feed(outbox: stackless.channel, messages: int) -> None:
    for number in range(messages):
        outbox.send(number)


def ring(nodes: int, messages: int) -> list[int]:
    first = inbox = stackless.channel()
    for _ in range(nodes):
        outbox = stackless.channel()
        stackless.tasklet(node)(inbox, outbox)
        inbox = outbox
    stackless.tasklet(feed)(first, messages)
    return [inbox.receive() for _ in range(messages)]


if __name__ == "__main__":
    messages = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    arrived = ring(NODES, messages)
    print(f"{messages:,} messages through {NODES} tasklets, {'in order' if arrived == [*range(messages)] else 'WRONG'}")
