"""Two channels become one: a select over those that are still open."""


def merge(model, one, other, out):
    channels = [one, other]
    with out:
        while channels:
            done = model.select(*channels)
            if done.closed:
                channels.remove(done.channel)
            else:
                out.send(done.item)
