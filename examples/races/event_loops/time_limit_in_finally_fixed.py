"""A question has a time limit, and the connection is closed in a `finally`.

The `finally` is outside of the limit: nothing can end it but a cancellation of the whole task.
"""

import asyncio


class Connection:
    def __init__(self) -> None:
        self.is_open = True

    async def ask(self) -> None:
        await asyncio.sleep(0.02)

    async def close(self) -> None:
        await asyncio.sleep(0)  # it says goodbye
        self.is_open = False


async def main() -> None:
    connection = Connection()
    try:
        try:
            async with asyncio.timeout(0.05):
                await connection.ask()
        finally:
            await connection.close()
    except TimeoutError:
        pass
    assert not connection.is_open, "the connection is still open"


if __name__ == "__main__":
    asyncio.run(main())
