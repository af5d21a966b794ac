"""The next slot is a number in shared memory, with its lock."""

import time
from multiprocessing import Process, Queue, Value


def call(number, next_slot, made):
    with next_slot.get_lock():
        slot = max(next_slot.value, time.monotonic())
        next_slot.value = slot + 0.01
    time.sleep(max(0.0, slot - time.monotonic()))
    made.put(number)


def main():
    next_slot, made = Value("d", 0.0), Queue()
    processes = [
        Process(target=call, args=(number, next_slot, made))
        for number in range(1, 5)
    ]
    for process in processes:
        process.start()
    print(sorted(made.get() for _ in processes))
    for process in processes:
        process.join()


if __name__ == "__main__":
    main()
