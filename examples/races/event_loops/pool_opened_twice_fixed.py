"""Three tasks want the pool of connections, which is opened for the first one that asks.

Looking and opening are under one lock: the others wait until the pool is there.
"""

import asyncio


class Database:
    def __init__(self) -> None:
        self.opened = 0
        self._pool: str | None = None
        self._opening = asyncio.Lock()

    async def pool(self) -> str:
        async with self._opening:
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
