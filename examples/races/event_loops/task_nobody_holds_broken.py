"""A server greets its visitors, and has tasks note who came.

Nobody holds these tasks, and nobody waits for them. When the server ends, they are cancelled, wherever they are.
"""

import asyncio


async def note(visitor: str, notes: list[str]) -> None:
    await asyncio.sleep(0.01)
    notes.append(visitor)


async def serve(visitors: list[str], notes: list[str]) -> None:
    for visitor in visitors:
        asyncio.create_task(note(visitor, notes))
        await asyncio.sleep(0.01)  # the greeting


def main() -> None:
    notes: list[str] = []
    asyncio.run(serve(["Ada", "Grace"], notes))
    assert len(notes) == 2, f"two came, noted are {notes}"


if __name__ == "__main__":
    main()
