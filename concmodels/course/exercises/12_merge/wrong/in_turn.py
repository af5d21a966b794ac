"""Diagnosis: ValueError"""


def merge(model, one, other, out):
    channels = [one, other]
    with out:
        while True:
            done = model.select(*channels)
            if done.closed:
                channels.remove(done.channel)
            else:
                out.send(done.item)
