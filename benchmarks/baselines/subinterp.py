"""The ring by hand, in subinterpreters: an interpreter per node, in a thread; a pipe per link, eight bytes per message.

The same as in processes: `read` waits while a pipe is empty, `write` while it is full, and both let go of their
interpreter's lock meanwhile. But here all share one table of open files. A pipe is closed once, by its writer, and its
reader then reads nothing.

A function whose globals are not used travels as its bare code, without the module that it comes from. So `node` and
`feed` import what they need, and the interpreters need import nothing of this file. Making an interpreter is the slow
part; two threads do it in half the time on two cores.
"""

import os
from collections.abc import Iterator
from concurrent import interpreters
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Thread
from time import perf_counter


def node(source: int, target: int) -> None:
    """Forward every message; then close."""
    from os import close, read, write

    while message := read(source, 8):
        write(target, message)
    close(target)


def feed(gate: int, target: int) -> None:
    """Send as many messages as the gate says; then close."""
    from os import close, read, write

    while order := read(gate, 8):
        for number in range(int.from_bytes(order)):
            write(target, number.to_bytes(8))
    close(target)


def stream(nodes: int, messages: int) -> float:
    """Return the seconds of a ring with all messages under way."""
    with ring(nodes) as (gate, _, last):
        started = perf_counter()
        os.write(gate, messages.to_bytes(8))
        for number in range(messages):
            if (came := os.read(last, 8)) != number.to_bytes(8):
                raise RuntimeError(f"message {came!r} came when {number} was due")
        return perf_counter() - started


def token(nodes: int, messages: int) -> float:
    """Return the seconds of a ring with one message under way."""
    with ring(nodes) as (_, first, last):
        started = perf_counter()
        for number in range(messages):
            os.write(first, number.to_bytes(8))
            if (came := os.read(last, 8)) != number.to_bytes(8):
                raise RuntimeError(f"message {came!r} came when {number} was due")
        return perf_counter() - started


@contextmanager
def ring(nodes: int) -> Iterator[tuple[int, int, int]]:
    """Start the feeder and the nodes, send one message round, and end them all with the block."""
    (order, gate), *pipes = [os.pipe() for _ in range(nodes + 2)]
    feeder, *units = create(nodes + 1)
    threads = [feeder.call_in_thread(feed, order, pipes[0][1])]
    for unit, (source, _), (_, target) in zip(units, pipes, pipes[1:], strict=False):
        threads.append(unit.call_in_thread(node, source, target))
    try:
        os.write(gate, (1).to_bytes(8))
        os.read(pipes[-1][0], 8)
        yield gate, pipes[0][1], pipes[-1][0]
    finally:
        os.close(gate)
        end(threads, pipes[-1][0])
        for source in (order, *(source for source, _ in pipes)):
            os.close(source)
        close([feeder, *units])


def create(count: int) -> list[interpreters.Interpreter]:
    """Return new interpreters, made in two threads."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda _: interpreters.create(), range(count)))


def end(threads: list[Thread], last: int) -> None:
    """Read the messages still under way, so that every node can go on to its end, and wait for that."""
    while os.read(last, 1 << 16):
        pass
    for thread in threads:
        thread.join()


def close(units: list[interpreters.Interpreter]) -> None:
    """Close the interpreters, in two threads."""
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(interpreters.Interpreter.close, units))
