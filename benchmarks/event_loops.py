"""One event loop, or one in each of several threads or processes: many conversations over sockets.

The same conversations are dealt out to all loops. In each, a client sends a line, a server computes a little and
answers, and so on: what a web service does between its requests, without HTTP. Nothing is shared between loops.
"""

import asyncio
import multiprocessing
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

WORK = 100
"""What the server adds up for each answer: a few microseconds."""
WARM_UP = 5
"""Round trips of each conversation before the clock starts."""

type Meeting = Callable[[], object]
"""Waits until all loops and the clock have come here."""


def one_loop(loops: int, conversations: int, trips: int) -> float:
    """Run all conversations in one loop."""
    began: list[float] = []
    asyncio.run(converse(conversations, trips, lambda: began.append(time.perf_counter())))
    return began[-1] - began[-2]


def threads(loops: int, conversations: int, trips: int) -> float:
    """Run a loop in each of some threads."""
    meeting = threading.Barrier(loops + 1)
    arguments = (conversations // loops, trips, meeting.wait)
    return timed([threading.Thread(target=run, args=arguments) for _ in range(loops)], meeting.wait)


def processes(loops: int, conversations: int, trips: int) -> float:
    """Run a loop in each of some processes."""
    context = multiprocessing.get_context("forkserver")
    meeting = context.Barrier(loops + 1)
    started = [context.Process(target=run_at, args=(conversations // loops, trips, meeting)) for _ in range(loops)]
    return timed(started, meeting.wait)


def timed(units: list[Any], meet: Meeting) -> float:
    """Start these, and return the seconds from the first meeting to the second."""
    for unit in units:
        unit.start()
    meet()
    begin = time.perf_counter()
    meet()
    took = time.perf_counter() - begin
    for unit in units:
        unit.join()
    return took


def run_at(conversations: int, trips: int, meeting: Any) -> None:
    """Run the loop of a process."""
    run(conversations, trips, meeting.wait)


def run(conversations: int, trips: int, meet: Meeting) -> None:
    """Run one loop."""
    asyncio.run(converse(conversations, trips, meet))


async def converse(conversations: int, trips: int, meet: Meeting) -> None:
    """Open the conversations and warm them up; then hold them, with a meeting before and one after."""
    pairs = [await opened() for _ in range(conversations)]
    servers = [asyncio.create_task(serve(*server)) for _, server in pairs]
    await asyncio.gather(*(ask(*client, WARM_UP) for client, _ in pairs))
    meet()
    await asyncio.gather(*(ask(*client, trips) for client, _ in pairs))
    meet()
    for (_, writer), _ in pairs:
        writer.close()
    await asyncio.gather(*servers)


type Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def opened() -> tuple[Stream, Stream]:
    """Return the two ends of a conversation."""
    ours, theirs = socket.socketpair()
    return await asyncio.open_connection(sock=ours), await asyncio.open_connection(sock=theirs)


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, trips: int) -> None:
    """Send a line and wait for the answer, so many times. Raises `RuntimeError` if an answer is wrong."""
    for number in range(trips):
        writer.write(b"%d\n" % number)
        if int(await reader.readline()) != number + sum(range(WORK)):
            raise RuntimeError("a server gave another answer than it should")


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer every line until the client hangs up."""
    while line := await reader.readline():
        writer.write(b"%d\n" % (int(line) + sum(range(WORK))))
    writer.close()


WAYS: dict[str, Callable[[int, int, int], float]] = {
    "one loop": one_loop,
    "a loop in each thread": threads,
    "a loop in each process": processes,
}


def held(way: str, loops: int, conversations: int, trips: int) -> float:
    """Hold conversations in one of the `WAYS`; return the seconds."""
    return WAYS[way](loops, conversations, trips)
