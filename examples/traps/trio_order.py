"""trio shuffles each batch of tasks on purpose, so that no program comes to rely on an order."""

import asyncio
from collections.abc import Awaitable, Callable

import trio


async def note(number: int, order: list[int]) -> None:
    order.append(number)


async def in_trio(order: list[int]) -> None:
    async with trio.open_nursery() as nursery:
        for number in range(5):
            nursery.start_soon(note, number, order)


async def in_asyncio(order: list[int]) -> None:
    async with asyncio.TaskGroup() as group:
        for number in range(5):
            group.create_task(note(number, order))


def orders(run: Callable[..., object], main: Callable[[list[int]], Awaitable[None]]) -> str:
    seen: set[tuple[int, ...]] = set()
    for _ in range(40):
        order: list[int] = []
        run(main(order)) if run is asyncio.run else run(main, order)
        seen.add(tuple(order))
    return "always the same order" if len(seen) == 1 else "different orders"


if __name__ == "__main__":
    print("asyncio:", orders(asyncio.run, in_asyncio))
    print("trio:", orders(trio.run, in_trio))
