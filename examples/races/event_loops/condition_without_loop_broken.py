"""Two tasks wait for an item each; a third one brings two, one after the other.

Both are woken by the first item, and one of them takes it. The other one does not look again whether there is one.
"""

import asyncio


async def take(filled: asyncio.Condition, items: list[int]) -> int:
    async with filled:
        if not items:
            await filled.wait()
        return items.pop()


async def fill(filled: asyncio.Condition, items: list[int]) -> None:
    for item in range(2):
        await asyncio.sleep(0.01)
        async with filled:
            items.append(item)
            filled.notify_all()


async def main() -> None:
    filled, items = asyncio.Condition(), list[int]()
    taken = await asyncio.gather(take(filled, items), take(filled, items), fill(filled, items))
    assert sorted(taken[:2]) == [0, 1], taken


if __name__ == "__main__":
    asyncio.run(main())
