"""The queue of `concurrent.interpreters`.

It can't be waited for: `get` on an empty queue looks again every 10 ms, as `put` does on a full one. With one message
under way that is what is measured, so a ring for `token` should be small.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent import interpreters
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from benchmarks.peers import _ring
from benchmarks.peers._ring import size


def lap(run: Callable[..., Any], peer: str, capacities: Sequence[float | None], work: Any) -> Any:
    """Make the queues and the interpreters of a ring, run it, and close them."""
    queues = [interpreters.create_queue(size(capacity)) for capacity in capacities]
    with units(len(queues) - 1) as free:

        def spawn(function: Callable[..., None], receive: Any, send: Any) -> Callable[[], None]:
            call = feed if function is _ring.feed else node
            thread = free.pop().call_in_thread(call, receive.__self__, send.__self__)
            return thread.join

        return run(spawn, [(queue.put, queue.get) for queue in queues], work)


@contextmanager
def units(count: int) -> Iterator[list[interpreters.Interpreter]]:
    """Make interpreters in two threads, and close them there."""
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda _: interpreters.create(), range(count)))
        yield made.copy()
        list(pool.map(interpreters.Interpreter.close, made))


def node(inbox: Any, outbox: Any) -> None:
    """Forward every message, and the mark; this uses no globals, so it can be sent as bare code."""
    receive, send = inbox.get, outbox.put
    while (message := receive()) != -1:
        send(message)
    send(-1)


def feed(orders: Any, outbox: Any) -> None:
    """Send as many messages as were ordered; after the last order, the mark."""
    receive, send = orders.get, outbox.put
    while (messages := receive()) != -1:
        for number in range(messages):
            send(number)
    send(-1)
