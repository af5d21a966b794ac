"""What multiprocessing offers to connect processes with, and faster-fifo, which is a queue in shared memory."""

import multiprocessing
import signal
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from math import inf
from typing import Any

from benchmarks.peers import _ring
from benchmarks.peers._ring import Link

CONTEXT = multiprocessing.get_context("forkserver")
PATIENCE = 3600.0
"""Seconds that faster-fifo waits; it can't do without a limit, and its own is shorter than a slow ring."""


def stream(peer: str, nodes: int, messages: int, capacity: float) -> float:
    """Return the seconds of the ring with all messages under way."""
    return lap(_ring.stream, peer, nodes, messages, capacity)


def token(peer: str, nodes: int, messages: int) -> float:
    """Return the seconds of the ring with one message under way."""
    return lap(_ring.token, peer, nodes, messages, inf)


def lap(run: Callable[..., float], peer: str, nodes: int, messages: int, capacity: float) -> float:
    """Make the queues of a ring, run it, and close them."""
    size = 0 if capacity == inf else int(capacity)
    with ExitStack() as stack:
        return run(spawn, [NEW[peer](size, stack) for _ in range(nodes + 2)], messages)


def new_queue(size: int, stack: ExitStack) -> Link:
    queue = CONTEXT.Queue(size)
    stack.callback(queue.join_thread)
    stack.callback(queue.close)  # the last one is called first
    return queue.put, queue.get


def new_simple_queue(_: int, stack: ExitStack) -> Link:
    queue = CONTEXT.SimpleQueue()
    stack.callback(queue.close)
    return queue.put, queue.get


def new_pipe(_: int, stack: ExitStack) -> Link:
    reader, writer = CONTEXT.Pipe(duplex=False)
    stack.enter_context(reader)
    stack.enter_context(writer)
    return writer.send, reader.recv


def new_faster_fifo(size: int, stack: ExitStack) -> Link:
    from faster_fifo import Queue

    queue = Queue(maxsize=size) if size else Queue()  # which has a bound too: a megabyte
    stack.callback(queue.close)
    return partial(queue.put, timeout=PATIENCE), partial(queue.get, timeout=PATIENCE)


NEW: dict[str, Callable[[int, ExitStack], Link]] = {
    "multiprocessing.Queue": new_queue,
    "multiprocessing.SimpleQueue": new_simple_queue,
    "multiprocessing.Pipe": new_pipe,
    "faster_fifo.Queue": new_faster_fifo,
}


def spawn(function: Callable[..., None], *args: Any) -> Callable[[], None]:
    """Start a process; a program that fails does not wait for it."""
    process = CONTEXT.Process(target=uninterrupted, args=(function, *args), daemon=True)
    process.start()

    def end() -> None:
        process.join()
        process.close()

    return end


def uninterrupted(function: Callable[..., None], *args: Any) -> None:
    """Call the function with Ctrl-C ignored: the caller handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    function(*args)
