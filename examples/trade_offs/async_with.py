"""Between two lines of a coroutine there is no `await`, but an `async with`. Does another task run there?"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


@asynccontextmanager
async def connected() -> AsyncGenerator[None]:
    await asyncio.sleep(0)
    yield


async def deposit(account: dict[str, int]) -> None:
    account["balance"] += 80


async def main() -> None:
    account = {"balance": 20}
    task = asyncio.create_task(deposit(account))
    before = account["balance"]
    async with connected():
        print("before:", before, "inside of `async with`:", account["balance"])
    await task


if __name__ == "__main__":
    asyncio.run(main())
