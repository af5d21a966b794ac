"""Diagnosis: has no attribute 'closed'"""


async def merge(model, one, other, out):
    channels = [one, other]
    with out:
        while channels:
            done = model.select(*channels)
            if done.closed:
                channels.remove(done.channel)
            else:
                await out.send(done.item)
