"""Two workers go from phase to phase together: at the barrier each waits until both are there.

Each one waits for the end of its own round, and rounds are never set back. (`threading.Barrier` would do it, too.)
"""

import threading


class Barrier:
    def __init__(self, parties: int) -> None:
        self._parties = parties
        self._arrived = 0
        self._round = 0
        self._changed = threading.Condition()

    def wait(self) -> None:
        with self._changed:
            mine = self._round
            self._arrived += 1
            if self._arrived == self._parties:
                self._arrived = 0
                self._round += 1
                self._changed.notify_all()
            else:
                while self._round == mine:
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
