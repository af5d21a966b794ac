"""Diagnosis: a task waits for an item, and nobody is left to send one or to close the channel"""


async def merge(model, one, other, out):
    channels = [one, other]
    while channels:
        done = await model.select(*channels)
        if done.closed:
            channels.remove(done.channel)
        else:
            await out.send(done.item)
