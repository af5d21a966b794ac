"""`wait` has one timeout for all; a call that has begun goes on until it is told, and the `with` waits for it."""

from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event


def copy(stop):
    stop.wait(60)


def main():
    stop = Event()
    with ThreadPoolExecutor() as pool:
        calls = {
            mirror: pool.submit(copy, stop)
            for mirror in ("east", "west")
        }
        copied, _ = wait(calls.values(), timeout=0.05)
        stop.set()
    for mirror, call in calls.items():
        print(
            f"{mirror}: {'copied' if call in copied else 'called off'}"
        )


if __name__ == "__main__":
    main()
