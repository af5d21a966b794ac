"""The ring by hand, in processes: a process per node, a pipe per link, and eight bytes per message.

The kernel does the waiting: `read` waits while a pipe is empty, `write` while it is full. Eight bytes are written, and
read, as one piece. When no process has the writing end any more, `read` returns nothing: that is how a node learns that
it is over, and the next node learns it when this process ends. So no process may keep an end that it does not use; a
new process is given two ends, and the caller closes its own copies.

A node only hands on what it reads: the bytes of a message are a number for the feeder and for the caller alone.
"""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from time import perf_counter

CONTEXT = multiprocessing.get_context("forkserver")


def node(inbox: Connection, outbox: Connection) -> None:
    """Forward every message."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller ends everybody
    read, write, source, target = os.read, os.write, inbox.fileno(), outbox.fileno()
    while message := read(source, 8):
        write(target, message)


def feed(gate: Connection, outbox: Connection) -> None:
    """Send as many messages as the gate says."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    write, target = os.write, outbox.fileno()
    while order := os.read(gate.fileno(), 8):
        for number in range(int.from_bytes(order)):
            write(target, number.to_bytes(8))


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
    with ExitStack() as stack:
        order, gate = CONTEXT.Pipe(duplex=False)
        inbox, first = CONTEXT.Pipe(duplex=False)
        with order:
            stack.callback(join, start(feed, order, first))  # first in, last out: the pipes are closed by then
        for _ in range(nodes):
            last, outbox = CONTEXT.Pipe(duplex=False)
            with inbox, outbox:
                stack.callback(join, start(node, inbox, outbox))
            inbox = last
        for end in (gate, first, inbox):
            stack.enter_context(end)
        os.write(gate.fileno(), (1).to_bytes(8))
        os.read(inbox.fileno(), 8)
        yield gate.fileno(), first.fileno(), inbox.fileno()


def start(
    function: Callable[[Connection, Connection], None], inbox: Connection, outbox: Connection
) -> ForkServerProcess:
    """Start a process that has these two ends of pipes."""
    process = CONTEXT.Process(target=function, args=(inbox, outbox))
    process.start()
    return process


def join(process: ForkServerProcess) -> None:
    """Wait until the process has ended."""
    process.join()
    process.close()
