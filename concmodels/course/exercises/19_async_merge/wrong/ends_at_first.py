"""Diagnosis: a task waits to send an item that nobody will receive"""


async def merge(model, one, other, out):
    channels = [one, other]
    with out:
        while channels:
            done = await model.select(*channels)
            if done.closed:
                return
            else:
                await out.send(done.item)
