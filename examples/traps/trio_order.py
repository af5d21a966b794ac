"""trio shuffles each batch of tasks on purpose, so that no program comes to rely on an order."""

import asyncio

import trio


async def note(number, order):
    order.append(number)


async def in_trio(order):
    async with trio.open_nursery() as nursery:
        for number in range(5):
            nursery.start_soon(note, number, order)


async def in_asyncio(order):
    async with asyncio.TaskGroup() as group:
        for number in range(5):
            group.create_task(note(number, order))


def orders(run, main):
    seen = set()
    for _ in range(40):
        order = []
        run(main(order)) if run is asyncio.run else run(main, order)
        seen.add(tuple(order))
    return "always the same order" if len(seen) == 1 else "different orders"


if __name__ == "__main__":
    print("asyncio:", orders(asyncio.run, in_asyncio))
    print("trio:", orders(trio.run, in_trio))
