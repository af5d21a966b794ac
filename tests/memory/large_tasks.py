"""Functions for the tasks of `test_large_messages.py`. Each child imports this file, so it imports nothing heavy."""

from killing import die

from concmodels.models.memory.arena import Arena
from concmodels.models.memory.channels import rendezvous
from concmodels.models.memory.channels.channel import Channel


class Deadly:
    """An item that kills the process in which it arrives, in the middle of its unpickling."""

    def __init__(self, size):
        self.data = bytes(size)

    def __reduce__(self):
        return die, (self.data,)


class Unreadable(Deadly):
    """An item that can't be unpickled."""

    def __reduce__(self):
        return int, (self.data,)


def die_while_writing(channel, item):
    Arena.write = die
    channel.send(item)


def die_before_sending(channel, item):
    Channel._append = die
    channel.send(item)


def die_while_waiting(channel, item):
    rendezvous._wait_for_partner = die
    channel.send(item)


def die_once_taken(channel):
    """Die when a sender has given the item, and before it is read."""
    Channel._item_of = die
    channel.receive()


def receive(channel):
    channel.receive()


def send_numbered(channel, sender, sizes):
    for number, size in enumerate(sizes):
        channel.send((sender, number, bytes([number % 256]) * size))


def count_numbered(channel, results):
    seen = []
    for sender, number, data in channel:
        assert set(data) <= {number % 256}
        seen.append((sender, number, len(data)))
    results.send(seen)


def pair(one, other):
    return one, other
