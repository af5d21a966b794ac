"""A process is forked while another thread holds locks that are not its own: which of them does the child get?"""

import logging
import os
import queue
import sys
import threading
import warnings


def hold(locks: tuple[threading.Lock | threading.RLock, ...], held: threading.Event, go_on: threading.Event) -> None:
    for lock in locks:
        lock.acquire()
    held.set()
    go_on.wait()
    for lock in locks:
        lock.release()


def main() -> None:
    handler = logging.StreamHandler()
    assert handler.lock
    waiting: queue.Queue[object] = queue.Queue()
    held, go_on = threading.Event(), threading.Event()
    thread = threading.Thread(target=hold, args=((handler.lock, waiting.mutex), held, go_on))
    thread.start()
    held.wait()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        print("a handler of logging, in the child:", "free" if handler.lock.acquire(timeout=0.2) else "locked")
        print("a queue.Queue, in the child:", "free" if waiting.mutex.acquire(timeout=0.2) else "locked", flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    go_on.set()
    thread.join()


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # a fork copies what is not written yet
    main()
