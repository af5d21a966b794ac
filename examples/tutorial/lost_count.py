"""Two threads count to two million each, in one number. Is everything counted?"""

import threading
from collections.abc import Callable

ROUNDS = 2_000_000
total = 0


def add_one() -> None:
    global total
    for _ in range(ROUNDS):
        total += 1


def add_a_call() -> None:
    global total
    for _ in range(ROUNDS):
        total += abs(1)


def counted(add: Callable[[], None]) -> int:
    """What two threads count together."""
    global total
    total = 0
    threads = [threading.Thread(target=add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return total


if __name__ == "__main__":
    print("total += 1     ", f"{counted(add_one):>9,} of {2 * ROUNDS:,}")
    print("total += abs(1)", f"{counted(add_a_call):>9,} of {2 * ROUNDS:,}")
