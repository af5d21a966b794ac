"""`wait` returns at the first error; a queue tells the calls that run."""

from concurrent import interpreters
from concurrent.futures import (
    FIRST_EXCEPTION,
    InterpreterPoolExecutor,
    wait,
)


def patient(stop):
    stop.get()
    print("tidied up", flush=True)


def clumsy():
    raise OSError("disk full")


def main():
    stop = interpreters.create_queue()
    with InterpreterPoolExecutor(max_workers=2) as pool:
        futures = [
            pool.submit(patient, stop),
            pool.submit(clumsy),
        ]
        done, _ = wait(futures, return_when=FIRST_EXCEPTION)
        stop.put(None)
    print("failed:", done.pop().exception())


if __name__ == "__main__":
    main()
