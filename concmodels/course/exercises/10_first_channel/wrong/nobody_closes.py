"""Diagnosis: a task waits for an item, and nobody is left to send one or to close the channel"""


def produce(channel, items):
    for item in items:
        channel.send(item)


def consume(channel):
    return list(channel)
