"""Two traps of `multiprocessing.Queue`, which has a thread that writes later what was put."""

import multiprocessing
import os
from multiprocessing.queues import Queue
from queue import Empty

CONTEXT = multiprocessing.get_context("forkserver")
MANY = 100_000


def put_much(queue: Queue[bytes]) -> None:
    queue.put(bytes(1_000_000))  # more than a pipe holds


def put_and_vanish(queue: Queue[int]) -> None:
    for number in range(MANY):
        queue.put(number)
    os._exit(0)  # as if it had been killed


def received(queue: Queue[int]) -> int:
    count = 0
    while True:
        try:
            queue.get(timeout=0.2)
        except Empty:
            return count
        count += 1


def main() -> None:
    queue = CONTEXT.Queue()
    child = CONTEXT.Process(target=put_much, args=(queue,))
    child.start()
    child.join(timeout=0.5)
    print("put one item, not read yet; the process has ended:", not child.is_alive())
    queue.get()
    child.join()
    print("read; the process has ended:", not child.is_alive())
    child = CONTEXT.Process(target=put_and_vanish, args=(queue,))
    child.start()
    child.join()
    print(f"{MANY:,} items were put before the end; all of them arrived:", received(queue) == MANY)


if __name__ == "__main__":
    main()
