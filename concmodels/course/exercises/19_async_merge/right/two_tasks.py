"""A task for each source; the group's end is the end of both."""


async def copy(source, out):
    async for item in source:
        await out.send(item)


async def merge(model, one, other, out):
    with out:
        async with model.TaskGroup() as group:
            group.spawn(copy, one, out)
            group.spawn(copy, other, out)
