"""Two workers go from phase to phase together: at the barrier each waits until both are there.

The last one to arrive sets the count back to zero, for the next phase. If it is quick it is in the next phase already,
and counted, when the other one wakes: that finds a count that is not zero, and waits on, for ever.
"""

import threading


class Barrier:
    def __init__(self, parties: int) -> None:
        self._parties = parties
        self._arrived = 0
        self._changed = threading.Condition()

    def wait(self) -> None:
        with self._changed:
            self._arrived += 1
            if self._arrived == self._parties:
                self._arrived = 0
                self._changed.notify_all()
            else:
                while self._arrived != 0:
                    self._changed.wait()


def work(barrier: Barrier, log: list[int]) -> None:
    for phase in range(2):
        log.append(phase)
        barrier.wait()


def main() -> None:
    barrier, log = Barrier(2), list[int]()
    threads = [threading.Thread(target=work, args=(barrier, log)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert log == [0, 0, 1, 1], f"the phases were mixed: {log}"


if __name__ == "__main__":
    main()
