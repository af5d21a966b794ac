"""What each of threading's tools does when it is used in an unusual way."""

import threading
from collections.abc import Callable


def in_a_thread(function: Callable[[], object]) -> object:
    """What a function returns, or the error that it raises, in another thread."""
    seen: list[object] = []

    def call() -> None:
        try:
            seen.append(function())
        except (RuntimeError, ValueError) as error:
            seen.append(type(error).__name__)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    return seen[0]


def main() -> None:
    kinds: dict[str, type[threading.Lock | threading.RLock]] = {"Lock": threading.Lock, "RLock": threading.RLock}
    for name, kind in kinds.items():
        lock = kind()
        with lock:
            print(f"{name}, taken a second time by its thread:", lock.acquire(timeout=0.1))
        lock = kind()
        lock.acquire()
        print(f"{name}, released by another thread:", in_a_thread(lock.release) or "no error")

    condition = threading.Condition()
    with condition:
        condition.notify()
        print("Condition, notified before the wait:", condition.wait(timeout=0.1))
    print("Condition, notified without its lock:", in_a_thread(condition.notify))

    event = threading.Event()
    event.set()
    print("Event, set before the wait:", event.wait(timeout=0.1))

    semaphore, bounded = threading.Semaphore(1), threading.BoundedSemaphore(1)
    print("Semaphore, released too often:", in_a_thread(semaphore.release) or "no error")
    print("BoundedSemaphore, released too often:", in_a_thread(bounded.release))

    barrier = threading.Barrier(2)
    print("Barrier, one thread too few, with a timeout:", in_a_thread(lambda: barrier.wait(timeout=0.1)))
    print("Barrier, for the next one that comes:", in_a_thread(barrier.wait))


if __name__ == "__main__":
    main()
