"""Sockets that travel: a socket as an item of a channel or an argument of a task, even across a memory boundary."""

from .pool_tools import of_separate_memory
from .socket_tools import connected, take
from .tools import CAPACITIES, PATIENCE, guarantee

NEEDS = ("wait_readable", "wait_writable")


async def answer_all(model, connections):
    """Answer what comes from each connection."""
    count = 0
    async for connection in connections:
        said = await take(model, connection, 10)
        await model.wait_writable(connection, PATIENCE)
        connection.send(said.upper())
        count += 1
    return count


@guarantee(capacity=CAPACITIES)
async def a_socket_is_an_item_of_a_channel(model, capacity):
    """A socket can be sent on a channel; the task that receives it reads and writes it."""
    connections, count = model.Channel(capacity), 3
    async with model.TaskGroup() as group:
        task = group.spawn(answer_all, model, connections)
        for number in range(count):
            with connected() as (ours, theirs):
                theirs.send(b"hello %d" % number)
                await connections.send(ours)
                assert await take(model, theirs, 10) == b"HELLO %d" % number
        connections.close()
    assert await task.result() == count


async def take_and_close(model, socket):
    """Receive what comes, and close the socket."""
    with socket:
        return await take(model, socket, 10)


@guarantee(by=of_separate_memory)
async def the_sender_may_close_its_socket(model):
    """Across a memory boundary a task has a socket of its own: once `spawn` or `send` has returned, the sender may
    close its own."""
    connections = model.Channel(1)
    with connected() as (ours, theirs), connected() as (others, back):
        async with model.TaskGroup() as group:
            taking = group.spawn(take_and_close, model, ours)
            ours.close()
            await connections.send(others)
            others.close()
            connections.close()
            theirs.send(b"argument")
            assert await taking.result(PATIENCE) == b"argument"
            answering = group.spawn(answer_all, model, connections)
            back.send(b"item")
            assert await answering.result(PATIENCE) == 1
            assert await take(model, back, 10) == b"ITEM"
