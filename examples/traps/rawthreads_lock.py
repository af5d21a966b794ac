"""A lock has no owner: a thread that takes it twice waits for itself, and any other thread can release it."""

import _thread
import threading


def main() -> None:
    lock = _thread.allocate_lock()
    lock.acquire()
    print("the same thread again, within 0.1 s:", lock.acquire(timeout=0.1))
    thread = threading.Thread(target=lock.release)
    thread.start()
    thread.join()
    print("after another thread released it, locked:", lock.locked())
    try:
        lock.release()
    except RuntimeError as error:
        print("released once too often:", error)


if __name__ == "__main__":
    main()
