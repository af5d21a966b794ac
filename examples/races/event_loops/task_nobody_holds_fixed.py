"""A server greets its visitors, and has tasks note who came.

The tasks are in a group, which ends only when all of them have ended.
"""

import asyncio


async def note(visitor: str, notes: list[str]) -> None:
    await asyncio.sleep(0.01)
    notes.append(visitor)


async def serve(visitors: list[str], notes: list[str]) -> None:
    async with asyncio.TaskGroup() as group:
        for visitor in visitors:
            group.create_task(note(visitor, notes))
            await asyncio.sleep(0.01)  # the greeting


def main() -> None:
    notes: list[str] = []
    asyncio.run(serve(["Ada", "Grace"], notes))
    assert len(notes) == 2, f"two came, noted are {notes}"


if __name__ == "__main__":
    main()
