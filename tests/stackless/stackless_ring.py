#!/usr/bin/env python
"""The ring, as a Stackless programmer wrote it in 2010. Only the import is new.

usage: stackless_ring.py [NODES [MESSAGES]]
"""

# ruff: noqa: UP004, UP031 - the way it was written then
import sys
import time

import concmodels.stackless as stackless


class Node(object):
    def __init__(self, number, inbox):
        self.number = number
        self.inbox = inbox
        self.outbox = stackless.channel()
        self.forwarded = 0

    def run(self):
        while True:
            message = self.inbox.receive()
            if message is None:
                break
            self.forwarded += 1
            self.outbox.send(message)
        self.outbox.send(None)


def feed(channel, count):
    for number in range(count):
        channel.send(number)
    channel.send(None)


def collect(channel, received):
    while True:
        message = channel.receive()
        if message is None:
            break
        received.append(message)


def main(nodes, messages):
    first = channel = stackless.channel()
    ring = []
    for number in range(nodes):
        node = Node(number, channel)
        stackless.tasklet(node.run)()
        ring.append(node)
        channel = node.outbox

    received = []
    stackless.tasklet(feed)(first, messages)
    stackless.tasklet(collect)(channel, received)

    started = time.time()
    stackless.run()
    elapsed = time.time() - started

    assert received == list(range(messages)), "messages lost or out of order"
    assert all(node.forwarded == messages for node in ring)
    assert stackless.getruncount() == 1
    print("%d nodes, %d messages: %d hops" % (nodes, messages, nodes * messages))
    print("%.3f s, %d hops/s" % (elapsed, nodes * messages / elapsed))


if __name__ == "__main__":
    main(*[int(argument) for argument in sys.argv[1:] or (300, 1000)])
