"""There is no lock between interpreters: a queue with one item, the next slot, does its work."""

import time
from concurrent import interpreters
from concurrent.futures import InterpreterPoolExecutor


def call(number, pace):
    slot = max(pace.get(), time.monotonic())
    pace.put(slot + 0.01)
    time.sleep(max(0.0, slot - time.monotonic()))
    return number


def main():
    pace = interpreters.create_queue()
    pace.put(0.0)
    with InterpreterPoolExecutor(max_workers=2) as pool:
        print(list(pool.map(call, range(1, 5), [pace] * 4)))


if __name__ == "__main__":
    main()
