"""Two tasks count in one number that is kept elsewhere; to read it and to write it takes a while.

Reading is under the lock, and so is writing. But between the two the lock is free, and the other task reads the old
number.
"""

import asyncio


class Counter:
    def __init__(self) -> None:
        self.visitors = 0
        self._lock = asyncio.Lock()

    async def visit(self) -> None:
        async with self._lock:
            seen = self.visitors
            await asyncio.sleep(0.01)
        async with self._lock:
            await asyncio.sleep(0.01)
            self.visitors = seen + 1


async def main() -> None:
    counter = Counter()
    await asyncio.gather(counter.visit(), counter.visit())
    assert counter.visitors == 2, f"two came, {counter.visitors} counted"


if __name__ == "__main__":
    asyncio.run(main())
