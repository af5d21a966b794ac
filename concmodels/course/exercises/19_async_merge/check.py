from async_merge import merge


async def send(channel, items):
    with channel:
        for item in items:
            await channel.send(item)


async def all_of_both(model):
    one, other, out = model.Channel(0, "one"), model.Channel(0, "other"), model.Channel(0, "out")
    found = []
    async with model.TaskGroup() as group:
        group.spawn(send, one, [1, 2])
        group.spawn(send, other, [-1])
        group.spawn(merge, model, one, other, out)
        async for item in out:
            found.append(item)
    assert len(found) <= 3, f"more comes out than was sent: {found}"
    assert len(found) == 3, f"{len(found)} of 3 items come out"
    assert [it for it in found if it > 0] == [1, 2], f"the order of a source is not kept: {found}"


async def one_waits_for_the_other(model):
    for first in (0, 1):
        sources, out = [model.Channel(0, "one"), model.Channel(0, "other")], model.Channel(0, "out")
        quick, slow = sources[first], sources[1 - first]
        async with model.TaskGroup() as group:
            group.spawn(merge, model, *sources, out)
            await quick.send("quick")
            assert await out.receive() == "quick", "something else comes out than was sent"
            await slow.send("slow")
            assert await out.receive() == "slow", "something else comes out than was sent"
            slow.close()
            await quick.send("again")
            assert await out.receive() == "again", "something else comes out than was sent"
            quick.close()
