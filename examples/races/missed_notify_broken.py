"""One thread waits until another opens a gate.

Between the look at `open` and the wait, the gate may be opened: the notify wakes nobody, and no second one comes.
"""

import threading


class Gate:
    def __init__(self) -> None:
        self.open = False
        self._opened = threading.Condition()

    def pass_through(self) -> None:
        if not self.open:
            with self._opened:
                self._opened.wait()

    def throw_open(self) -> None:
        self.open = True
        with self._opened:
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
