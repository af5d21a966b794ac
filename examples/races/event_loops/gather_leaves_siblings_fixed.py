"""Two tasks write to a file, and one of them fails. The file is closed then.

A task group cancels the other task, and waits for its end, before the exception leaves it.
"""

import asyncio


class File:
    def __init__(self) -> None:
        self.is_open = True
        self.lost: list[str] = []

    async def write(self, text: str | None) -> None:
        await asyncio.sleep(0.01)
        if text is None:
            raise ValueError("there is nothing to write")
        await asyncio.sleep(0.01)
        if not self.is_open:
            self.lost.append(text)


async def main() -> None:
    file = File()
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(file.write(None))
            group.create_task(file.write("a line"))
    except* ValueError:
        pass
    finally:
        file.is_open = False
    await asyncio.sleep(0.1)
    assert not file.lost, f"written to a closed file: {file.lost}"


if __name__ == "__main__":
    asyncio.run(main())
