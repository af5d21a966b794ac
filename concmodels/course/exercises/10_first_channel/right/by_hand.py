"""The same with the operations themselves."""

from concmodels.errors import ChannelClosed


def produce(channel, items):
    try:
        for item in items:
            channel.send(item)
    finally:
        channel.close()


def consume(channel):
    received = []
    while True:
        try:
            received.append(channel.receive())
        except ChannelClosed:
            return received
