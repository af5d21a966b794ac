"""Diagnosis: a task waits to send an item that nobody will receive"""


def produce(channel, items):
    with channel:
        for item in items:
            channel.send(item)


def consume(channel):
    return [channel.receive()]
