"""A token goes three times round a ring of five tasks, with `await`: `python ring_awaited.py MODEL FILE`."""

import sys

from concmodels import AsyncChannel, AsyncModel, load, trace


async def main(model: AsyncModel) -> None:
    links = [model.Channel(1, f"link {number}") for number in range(5)]
    async with model.TaskGroup() as group:
        for number in range(4):
            group.spawn(node, links[number], links[number + 1], name=f"node {number + 1}")
        for token in range(3):
            await links[0].send(token)
            await links[4].receive()
        links[0].close()


async def node(inbox: AsyncChannel[int], outbox: AsyncChannel[int]) -> None:
    async for token in inbox:
        await outbox.send(token)
    outbox.close()


if __name__ == "__main__":
    with trace.to(sys.argv[2]):
        model = load(sys.argv[1])
        model.run(main, model)
