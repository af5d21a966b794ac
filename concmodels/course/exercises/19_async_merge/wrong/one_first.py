"""Diagnosis: one source is not listened to while the other is open"""


async def merge(model, one, other, out):
    with out:
        for channel in (one, other):
            async for item in channel:
                await out.send(item)
