"""Two channels become one."""


async def merge(model, one, other, out):
    async for item in one:
        await out.send(item)
    async for item in other:
        await out.send(item)
