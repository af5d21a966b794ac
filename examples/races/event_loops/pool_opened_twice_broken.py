"""Three tasks want the pool of connections, which is opened for the first one that asks.

While it is being opened it isn't there yet, so the others open one too, and all but the last are never closed.
"""

import asyncio


class Database:
    def __init__(self) -> None:
        self.opened = 0
        self._pool: str | None = None

    async def pool(self) -> str:
        if self._pool is None:
            self._pool = await self._open()
        return self._pool

    async def _open(self) -> str:
        await asyncio.sleep(0.01)
        self.opened += 1
        return f"pool {self.opened}"


async def main() -> None:
    database = Database()
    pools = await asyncio.gather(*(database.pool() for _ in range(3)))
    assert database.opened == 1, f"three tasks have opened {sorted(set(pools))}"


if __name__ == "__main__":
    asyncio.run(main())
