"""Two threads play ping-pong; then a third one computes beside them, and now and then they wait for its turn to end."""

import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from queue import SimpleQueue
from time import perf_counter


def echo(there: SimpleQueue[str | None], back: SimpleQueue[str]) -> None:
    for ball in iter(there.get, None):
        back.put(ball)


def compute(stop: threading.Event) -> None:
    number = 0
    while not stop.is_set():
        number += 1


def round_trips(there: SimpleQueue[str | None], back: SimpleQueue[str], seconds: float) -> list[float]:
    """As many as there is time for; the seconds that each took."""
    took, end = list[float](), perf_counter() + seconds
    while (start := perf_counter()) < end:
        there.put("ball")
        back.get()
        took.append(perf_counter() - start)
    return took


@contextmanager
def a_thread_that_computes() -> Generator[None]:
    stop = threading.Event()
    worker = threading.Thread(target=compute, args=(stop,))
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join()


def main() -> None:
    there, back = SimpleQueue[str | None](), SimpleQueue[str]()
    partner = threading.Thread(target=echo, args=(there, back))
    partner.start()
    alone, beside = list[float](), list[float]()
    for _ in range(4):  # in turns, so that whatever else the machine does slows down both
        alone += round_trips(there, back, 0.1)
        with a_thread_that_computes():
            beside += round_trips(there, back, 0.1)
    there.put(None)
    partner.join()
    print("the GIL is", "on" if sys._is_gil_enabled() else "off")
    print("a thread that computes has to give it up after", sys.getswitchinterval() * 1000, "ms")
    print("beside it, fewer round trips in the same time:", len(beside) < len(alone))
    print("the slowest of them took more than 5 ms:", max(beside) > 0.005)


if __name__ == "__main__":
    main()
