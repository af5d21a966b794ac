"""Diagnosis: a task waits for an item, and nobody is left to send one or to close the channel"""


def merge(model, one, other, out):
    channels = [one, other]
    while channels:
        done = model.select(*channels)
        if done.closed:
            channels.remove(done.channel)
        else:
            out.send(done.item)
