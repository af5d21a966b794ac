"""All threads are joined with one deadline; those that are late are told to stop, and have to look whether they are."""

import threading
import time


def copy(stop):
    stop.wait(60)


def main():
    stop, end = threading.Event(), time.monotonic() + 0.05
    threads = {
        mirror: threading.Thread(target=copy, args=(stop,))
        for mirror in ("east", "west")
    }
    for thread in threads.values():
        thread.start()
    for mirror, thread in threads.items():
        thread.join(max(0, end - time.monotonic()))
        print(
            f"{mirror}: {'called off' if thread.is_alive() else 'copied'}"
        )
    stop.set()
    for thread in threads.values():
        thread.join()


if __name__ == "__main__":
    main()
