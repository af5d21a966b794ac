"""Each greenlet takes the next slot and sleeps until it has come. No lock: nothing else runs before the sleep."""

import time

import gevent


class Pace:
    def __init__(self, seconds):
        self.seconds, self.next = seconds, 0.0

    def wait(self):
        now = time.monotonic()
        slot = max(self.next, now)
        self.next = slot + self.seconds
        gevent.sleep(slot - now)


def call(number, pace, made):
    pace.wait()
    made.append(number)


def main():
    pace, made = Pace(0.01), []
    greenlets = [
        gevent.spawn(call, number, pace, made)
        for number in range(1, 5)
    ]
    gevent.joinall(greenlets, raise_error=True)
    print(sorted(made))


if __name__ == "__main__":
    main()
