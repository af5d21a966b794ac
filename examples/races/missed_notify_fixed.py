"""One thread waits until another opens a gate.

Whether it is open is asked and changed under the lock, which `wait` gives back only once it is waiting. And it is
asked again after the wait: a `while`, not an `if`.
"""

import threading


class Gate:
    def __init__(self) -> None:
        self.open = False
        self._opened = threading.Condition()

    def pass_through(self) -> None:
        with self._opened:
            while not self.open:
                self._opened.wait()

    def throw_open(self) -> None:
        with self._opened:
            self.open = True
            self._opened.notify_all()


def main() -> None:
    gate = Gate()
    threads = [threading.Thread(target=gate.pass_through), threading.Thread(target=gate.throw_open)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
