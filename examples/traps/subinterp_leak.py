"""The sender of 5,000 objects waits in C while they are received: most of them are never freed."""

import gc
import sys
from concurrent import interpreters

MANY = 5_000


def drain(queue: interpreters.Queue, count: int) -> None:
    for _ in range(count):
        queue.get()


def kept_after(queue: interpreters.Queue, other: interpreters.Interpreter) -> int:
    gc.collect()
    before = sys.getallocatedblocks()
    for number in range(MANY):
        queue.put(bytes(1_000) + str(number).encode())
    thread = other.call_in_thread(drain, queue, MANY)
    thread.join()  # waits in C: it runs no Python code meanwhile
    for _ in range(1_000):
        pass  # now it does: time to free what the other one has given back
    gc.collect()
    return sys.getallocatedblocks() - before


def main() -> None:
    queue, other = interpreters.create_queue(), interpreters.create()
    kept_after(queue, other)
    kept = kept_after(queue, other)
    print(f"{MANY:,} objects sent, received and dropped; more than half of them are still in memory:", kept > MANY / 2)
    other.close()


if __name__ == "__main__":
    main()
