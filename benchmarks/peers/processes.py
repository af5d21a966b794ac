"""The means of multiprocessing to connect processes."""

import multiprocessing
import signal
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

from benchmarks.peers._ring import Link, size

CONTEXT = multiprocessing.get_context("forkserver")


def lap(run: Callable[..., Any], peer: str, capacities: Sequence[float | None], work: Any) -> Any:
    """Make queues of these capacities, run a program on them, and close them.

    Where there is no capacity several tasks may receive, which a Pipe does not bear.
    """
    with ExitStack() as stack:
        new = {capacity: new_simple_queue if capacity is None else NEW[peer] for capacity in capacities}
        return run(spawn, [new[capacity](size(capacity), stack) for capacity in capacities], work)


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


NEW: dict[str, Callable[[int, ExitStack], Link]] = {
    "multiprocessing.Queue": new_queue,
    "multiprocessing.SimpleQueue": new_simple_queue,
    "multiprocessing.Pipe": new_pipe,
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
