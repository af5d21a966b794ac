"""The ring as one would first write it, on each model's own queue, timed against the room of that model.

    python -m benchmarks.naive [--nodes 300] [--messages 10000] [--rounds 5] [--only threads]

Both sides stream all messages through unbounded queues (`subinterp` has one message under way: there the wait is what
is measured). They run in turn, each in a fresh process, and the ratio is taken pair by pair: the machine's moods then
strike both. The clock covers what the ring program calls its run: from the first message sent to the last one received.
"""

import argparse
import asyncio
import json
import math
import multiprocessing
import queue
import statistics
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from rich.console import Console
from rich.table import Table

from concmodels.ring import ring

END = -1


def node(inbox: Any, outbox: Any) -> None:
    """Forward until the end mark."""
    while (item := inbox.get()) != END:
        outbox.put(item)
    outbox.put(END)


def feed(outbox: Any, messages: int) -> None:
    """Send all numbers, then the end mark."""
    for number in range(messages):
        outbox.put(number)
    outbox.put(END)


def collect(inbox: Any, messages: int) -> None:
    """Receive all numbers and check them."""
    for number in range(messages):
        assert inbox.get() == number
    assert inbox.get() == END


def lap(start: Callable[..., Any], new_queue: Callable[[], Any], nodes: int, messages: int) -> float:
    """One ring on queues with `get` and `put`; returns the seconds of the run."""
    queues = [new_queue() for _ in range(nodes + 1)]
    units = [start(node, *pair) for pair in zip(queues, queues[1:], strict=False)]
    queues[0].put(-2)  # a message that warms up
    assert queues[-1].get() == -2
    begin = time.perf_counter()
    units.append(start(feed, queues[0], messages))
    collect(queues[-1], messages)
    took = time.perf_counter() - begin
    for unit in units:
        if hasattr(unit, "join"):
            unit.join()
    return took


def threads(nodes: int, messages: int) -> float:
    """`threading.Thread` and `queue.Queue`."""

    def start(function: Callable[..., Any], *args: Any) -> threading.Thread:
        thread = threading.Thread(target=function, args=args)
        thread.start()
        return thread

    return lap(start, queue.Queue, nodes, messages)


def processes(nodes: int, messages: int) -> float:
    """`multiprocessing.Process` and `multiprocessing.SimpleQueue`."""
    context = multiprocessing.get_context("fork")  # how a node is started is not what is measured

    def start(function: Callable[..., Any], *args: Any) -> Any:
        process = context.Process(target=function, args=args)
        process.start()
        return process

    return lap(start, context.SimpleQueue, nodes, messages)


def gevent(nodes: int, messages: int) -> float:
    """`gevent.spawn` and `gevent.queue.Queue`."""
    import gevent
    import gevent.queue

    return lap(gevent.spawn, gevent.queue.Queue, nodes, messages)


def eventlet(nodes: int, messages: int) -> float:
    """`eventlet.spawn` and `eventlet.Queue`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import eventlet

    return lap(eventlet.spawn, eventlet.Queue, nodes, messages)


async def async_node(receive: Callable[[], Awaitable[int]], send: Callable[[int], Awaitable[None]]) -> None:
    """As `node`."""
    while (item := await receive()) != END:
        await send(item)
    await send(END)


async def async_lap(spawn: Callable[..., Any], ends: list[Any], messages: int) -> float:
    """As `lap`; `ends` are the pairs (send, receive) of each queue."""
    for (_, receive), (send, _) in zip(ends, ends[1:], strict=False):
        spawn(async_node, receive, send)
    await ends[0][0](-2)
    assert await ends[-1][1]() == -2
    begin = time.perf_counter()
    spawn(async_feed, ends[0][0], messages)
    for number in range(messages):
        assert await ends[-1][1]() == number
    took = time.perf_counter() - begin
    assert await ends[-1][1]() == END
    return took


async def async_feed(send: Callable[[int], Awaitable[None]], messages: int) -> None:
    """As `feed`."""
    for number in range(messages):
        await send(number)
    await send(END)


def asyncio_(nodes: int, messages: int) -> float:
    """`asyncio.TaskGroup` and `asyncio.Queue`."""

    async def main() -> float:
        queues: list[asyncio.Queue[int]] = [asyncio.Queue() for _ in range(nodes + 1)]
        async with asyncio.TaskGroup() as group:
            ends = [(queue.put, queue.get) for queue in queues]
            return await async_lap(lambda function, *args: group.create_task(function(*args)), ends, messages)

    return asyncio.run(main())


def trio(nodes: int, messages: int) -> float:
    """A trio nursery and `trio.open_memory_channel(inf)`."""
    import trio

    async def main() -> float:
        pairs = [trio.open_memory_channel[int](math.inf) for _ in range(nodes + 1)]
        async with trio.open_nursery() as nursery:
            ends = [(send.send, receive.receive) for send, receive in pairs]
            return await async_lap(nursery.start_soon, ends, messages)

    return trio.run(main)


def subinterp(nodes: int, messages: int) -> float:
    """The room's own variant on `concurrent.interpreters.Queue`, with one message under way."""
    run_s = ring("subinterp:queue", nodes=nodes, messages=messages, in_flight=1).run_s
    assert run_s is not None
    return run_s


NAIVE: dict[str, Callable[[int, int], float]] = {
    "threads": threads,
    "processes": processes,
    "subinterp": subinterp,
    "gevent": gevent,
    "eventlet": eventlet,
    "asyncio": asyncio_,
    "trio": trio,
}
FEWER = {"subinterp": (30, 20), "trio": (300, 2000)}
"""Models whose naive form would take minutes at full size: nodes, messages (the same for both sides)."""


def ours(model: str, nodes: int, messages: int) -> float:
    """The seconds of the same ring in the room of this model."""
    result = ring(model, nodes=nodes, messages=messages, in_flight=1 if model == "subinterp" else None)
    assert result.verified and result.run_s is not None, result.error
    return result.run_s


def in_fresh_process(side: str, model: str, nodes: int, messages: int) -> float:
    """Hops per second of one lap, measured in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.naive", "--one", side, "--only", model]
    command += ["--nodes", str(nodes), "--messages", str(messages)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return nodes * messages / float(json.loads(done.stdout))


def compare(model: str, nodes: int, messages: int, rounds: int) -> list[str]:
    """The table's row for a model."""
    pairs = [[in_fresh_process(side, model, nodes, messages) for side in ("ours", "naive")] for _ in range(rounds)]
    ratios = [mine / theirs for mine, theirs in pairs]
    what = (NAIVE[model].__doc__ or "").rstrip(".")
    figures = [median_and_spread(column, 1e3) for column in zip(*pairs, strict=True)]
    return [model, what, f"{nodes:,} x {messages:,}", *figures, median_and_spread(ratios, 1)]


def median_and_spread(values: Iterable[float], unit: float) -> str:
    """ "median (minimum to maximum)" in this unit."""
    scaled = sorted(value / unit for value in values)
    digits = 0 if scaled[-1] >= 1000 else 2
    return f"{statistics.median(scaled):,.{digits}f} ({scaled[0]:,.{digits}f} to {scaled[-1]:,.{digits}f})"


def main() -> None:
    """Print the table, or the seconds of one lap (`--one`)."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.naive", description=__doc__.partition("\n")[0])
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", choices=NAIVE)
    parser.add_argument("--one", choices=["ours", "naive"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        lap_of = NAIVE[options.only[0]] if options.one == "naive" else lambda *size: ours(options.only[0], *size)
        print(json.dumps(lap_of(options.nodes, options.messages)))
        return
    table = Table("model", "naive form", "ring", "ours, khops/s", "naive, khops/s", "ratio", title="median (spread)")
    for model in options.only or NAIVE:
        nodes, messages = FEWER.get(model, (options.nodes, options.messages))
        table.add_row(*compare(model, nodes, messages, options.rounds))
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
