"""Diagnosis: more comes out than was sent"""


def merge(model, one, other, out):
    channels = [one, other]
    with out:
        while channels:
            done = model.select(*channels)
            if done.closed:
                channels.remove(done.channel)
            out.send(done.item)
