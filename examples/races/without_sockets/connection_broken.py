"""Two tasks ask on one connection at once, and get each other's answers."""

import asyncio

from pipe import pipe


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while line := await reader.readline():
        writer.write(line.upper())
        await writer.drain()
    writer.close()


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def ask(self, question: str) -> str:
        self.writer.write(f"{question}\n".encode())
        await self.writer.drain()
        return (await self.reader.readline()).decode().strip()


async def main() -> None:
    ours, theirs = pipe()
    client = Client(*ours)
    serving = asyncio.create_task(serve(*theirs))
    answers = await asyncio.gather(client.ask("one"), client.ask("two"))
    assert [*answers] == ["ONE", "TWO"], answers
    client.writer.close()
    await serving
