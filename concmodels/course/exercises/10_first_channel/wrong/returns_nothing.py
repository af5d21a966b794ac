"""Diagnosis: consume returns nothing"""


def produce(channel, items):
    with channel:
        for item in items:
            channel.send(item)


def consume(channel):
    for item in channel:
        print(item)
