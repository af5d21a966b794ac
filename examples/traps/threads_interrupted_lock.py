"""Is a lock free again when a signal's handler raises somewhere near `with lock`? A timer interrupts many times."""

import random
import signal
import sys
import threading


class Interrupted(Exception):
    pass


def interrupt(signal_number: int, frame: object) -> None:
    raise Interrupted


def interrupted_loop() -> bool:
    """Take and release a lock until the timer strikes; return whether the lock stayed locked."""
    lock = threading.Lock()
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0002, 0.0006))
        while True:
            with lock:
                pass
    except Interrupted:
        return lock.locked()


def main() -> None:
    signal.signal(signal.SIGALRM, interrupt)
    stuck = sum(interrupted_loop() for _ in range(500))
    print("Python", sys.version.split()[0])
    print("in 500 interruptions a lock stayed locked at least once:", stuck > 0)


if __name__ == "__main__":
    main()
