"""Two tasks and a channel between them: the sender closes it."""


def produce(channel, items):
    with channel:
        for item in items:
            channel.send(item)


def consume(channel):
    return list(channel)
