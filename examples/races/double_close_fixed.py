"""Two threads close one connection, which gives it back to its pool: one of them is the first.

Who it is is decided under a lock, before anything is done. What follows needs no lock: the other one has gone home.
"""

import threading


class Pool:
    def __init__(self) -> None:
        self.free = 0
        self._lock = threading.Lock()

    def give_back(self) -> None:
        with self._lock:
            self.free += 1


class Connection:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._closed = False
        self._lock = threading.Lock()

    def close(self) -> None:
        with self._lock:
            first = not self._closed
            self._closed = True
        if first:
            self._pool.give_back()


def main() -> None:
    pool = Pool()
    connection = Connection(pool)
    threads = [threading.Thread(target=connection.close) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pool.free == 1, f"one connection, given back {pool.free} times"


if __name__ == "__main__":
    main()
