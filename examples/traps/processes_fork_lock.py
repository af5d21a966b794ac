"""A lock is held by a thread while the process is forked: in the child the lock is held too, by no thread."""

import os
import sys
import threading
import warnings


def hold(lock: threading.Lock, held: threading.Event, go_on: threading.Event) -> None:
    with lock:
        held.set()
        go_on.wait()


def main() -> None:
    lock, held, go_on = threading.Lock(), threading.Event(), threading.Event()
    thread = threading.Thread(target=hold, args=(lock, held, go_on))
    thread.start()
    held.wait()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        child = os.fork()
    if child == 0:
        got = lock.acquire(timeout=0.2)
        print("the child got the lock:", got, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    go_on.set()
    thread.join()
    print("the parent got the lock:", lock.acquire(timeout=0.2))
    print(*{warning.category.__name__ for warning in heard}, "at the fork:", bool(heard))


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # a fork copies what is not written yet
    main()
