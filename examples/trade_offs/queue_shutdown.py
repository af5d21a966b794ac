"""A queue is shut down while two items are in it. Are they still delivered, and does every queue have `shutdown`?"""

import asyncio
import multiprocessing.queues
import queue
from collections.abc import Callable


def drained(shut_down: Callable[[queue.Queue[str]], None]) -> list[str]:
    """What is still delivered by a queue of two items after that."""
    items: queue.Queue[str] = queue.Queue()
    for item in ("tea", "milk"):
        items.put(item)
    shut_down(items)
    received: list[str] = []
    while True:
        try:
            received.append(items.get())
        except queue.ShutDown:
            return received


def main() -> None:
    print("shutdown():", drained(lambda items: items.shutdown()))
    print("shutdown(immediate=True):", drained(lambda items: items.shutdown(immediate=True)))
    for name, kind in {
        "queue.Queue": queue.Queue,
        "asyncio.Queue": asyncio.Queue,
        "queue.SimpleQueue": queue.SimpleQueue,
        "multiprocessing.Queue": multiprocessing.queues.Queue,
    }.items():
        print(f"{name}:", "has shutdown" if hasattr(kind, "shutdown") else "has no shutdown")


if __name__ == "__main__":
    main()
