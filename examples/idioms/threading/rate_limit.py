"""Each thread takes the next slot, under a lock, and sleeps until it has come."""

import time
from threading import Lock, Thread


class Pace:
    def __init__(self, seconds):
        self.seconds, self.next = seconds, 0.0
        self.lock = Lock()

    def wait(self):
        with self.lock:
            slot = max(self.next, time.monotonic())
            self.next = slot + self.seconds
        time.sleep(max(0.0, slot - time.monotonic()))


def call(number, pace, made):
    pace.wait()
    made.append(number)


def main():
    pace, made = Pace(0.01), []
    threads = [
        Thread(target=call, args=(number, pace, made))
        for number in range(1, 5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sorted(made))


if __name__ == "__main__":
    main()
