"""Diagnosis: 2 of 3 items come out"""


def produce(channel, items):
    with channel:
        for item in items[:-1]:
            channel.send(item)


def consume(channel):
    return list(channel)
