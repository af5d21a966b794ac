"""Diagnosis: 0 of 3 items come out"""


async def merge(model, one, other, out):
    channels = [one, other]
    with out:
        while channels:
            done = await model.select(*channels)
            if done.closed:
                channels.remove(done.channel)
            else:
                out.send(done.item)
