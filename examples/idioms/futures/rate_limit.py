"""The thread that submits the calls sets the pace."""

import time
from concurrent.futures import ThreadPoolExecutor


def call(number):
    return number


def main():
    futures, due = [], time.monotonic()
    with ThreadPoolExecutor() as pool:
        for number in range(1, 5):
            time.sleep(max(0.0, due - time.monotonic()))
            futures.append(pool.submit(call, number))
            due += 0.01
    print([future.result() for future in futures])


if __name__ == "__main__":
    main()
