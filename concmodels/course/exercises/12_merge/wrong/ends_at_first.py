"""Diagnosis: a task waits to send an item that nobody will receive"""


def merge(model, one, other, out):
    channels = [one, other]
    with out:
        while channels:
            done = model.select(*channels)
            if done.closed:
                return
            else:
                out.send(done.item)
