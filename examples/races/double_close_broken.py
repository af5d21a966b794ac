"""Two threads close one connection, which gives it back to its pool: the second one finds it closed.

Unless it looks while the first one is giving it back: `closed` is set too late, and the pool has it twice.
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

    def close(self) -> None:
        if not self._closed:
            self._pool.give_back()
            self._closed = True


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
