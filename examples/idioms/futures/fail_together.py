"""`wait` returns at the first error; what has not begun is cancelled, what runs is told by an event."""

from concurrent.futures import (
    FIRST_EXCEPTION,
    ThreadPoolExecutor,
    wait,
)
from threading import Event


def patient(failed):
    failed.wait(60)
    print("tidied up")


def clumsy():
    raise OSError("disk full")


def main():
    failed = Event()
    with ThreadPoolExecutor() as pool:
        futures = [
            pool.submit(patient, failed),
            pool.submit(clumsy),
        ]
        wait(futures, return_when=FIRST_EXCEPTION)
        failed.set()
        pool.shutdown(cancel_futures=True)
    for future in futures:
        if not future.cancelled() and (
            error := future.exception()
        ):
            print("failed:", error)


if __name__ == "__main__":
    main()
