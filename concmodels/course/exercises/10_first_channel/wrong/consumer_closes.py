"""Diagnosis: ChannelClosed"""


def produce(channel, items):
    for item in items:
        channel.send(item)


def consume(channel):
    received = [channel.receive()]
    channel.close()
    return received
