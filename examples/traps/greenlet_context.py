"""A new greenlet begins with an empty context: a context variable that was set outside is not set inside."""

import asyncio
from contextvars import ContextVar

from greenlet import greenlet

user = ContextVar("user", default="nobody")


def show(where: str) -> None:
    print(f"{where}: {user.get()}")


async def show_awaited(where: str) -> None:
    show(where)


async def main() -> None:
    await asyncio.create_task(show_awaited("in an asyncio task"))


if __name__ == "__main__":
    user.set("Ada")
    show("outside")
    greenlet(show).switch("in a greenlet")
    asyncio.run(main())
