"""`wait` returns at the first result. A call that runs can't be cancelled: an event tells it."""

from concurrent.futures import (
    FIRST_COMPLETED,
    ThreadPoolExecutor,
    wait,
)
from threading import Event

MIRRORS = {"near": 0.01, "far": 60, "farther": 60}


def ask(mirror, delay, decided):
    decided.wait(delay)  # a sleep that can be ended
    return mirror


def main():
    decided = Event()
    with ThreadPoolExecutor() as pool:
        futures = [
            pool.submit(ask, mirror, delay, decided)
            for mirror, delay in MIRRORS.items()
        ]
        done, _ = wait(futures, return_when=FIRST_COMPLETED)
        decided.set()
    print(done.pop().result(), "answered")


if __name__ == "__main__":
    main()
