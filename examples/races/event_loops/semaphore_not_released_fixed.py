"""Pages are fetched one at a time. One of them does not exist.

`async with` releases the semaphore, however the block ends.
"""

import asyncio


async def fetch(page: str, free: asyncio.Semaphore) -> str:
    async with free:
        return await ask(page)


async def ask(page: str) -> str:
    await asyncio.sleep(0.01)
    if page == "missing":
        raise LookupError(page)
    return f"the text of {page}"


async def main() -> None:
    free = asyncio.Semaphore(1)
    pages = await asyncio.gather(fetch("missing", free), fetch("index", free), return_exceptions=True)
    assert pages[1] == "the text of index", pages


if __name__ == "__main__":
    asyncio.run(main())
