"""Two tasks and a channel between them."""


def produce(channel, items):
    for item in items:
        channel.send(item)


def consume(channel):
    return [channel.receive()]
