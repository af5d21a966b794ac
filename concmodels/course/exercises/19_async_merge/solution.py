"""Two channels become one: a select over those that are still open."""


async def merge(model, one, other, out):
    channels = [one, other]
    with out:
        while channels:
            done = await model.select(*channels)
            if done.closed:
                channels.remove(done.channel)
            else:
                await out.send(done.item)
