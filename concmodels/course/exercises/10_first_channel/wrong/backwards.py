"""Diagnosis: the order is not kept"""


def produce(channel, items):
    with channel:
        for item in items:
            channel.send(item)


def consume(channel):
    return sorted(channel, reverse=True)
