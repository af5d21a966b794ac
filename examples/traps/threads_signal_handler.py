"""How often does a signal find the code that it interrupts holding the lock of a queue? A handler that puts something
into that queue would then wait for a lock which only the interrupted code can release.
"""

import queue
import random
import signal

shared: queue.Queue[str] = queue.Queue()
held: list[bool] = []


def look(signal_number: int, frame: object) -> None:
    held.append(shared.mutex.locked())  # in the place of `shared.put("a signal came")`


def main() -> None:
    signal.signal(signal.SIGALRM, look)
    for _ in range(500):
        before = len(held)  # before the timer is set: on a busy machine it may have expired by the next line
        signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0002, 0.0006))
        while len(held) == before:
            shared.put("work")
            shared.get()
    print("signals:", len(held))
    print("in at least one of ten the lock was held:", sum(held) >= len(held) / 10)


if __name__ == "__main__":
    main()
