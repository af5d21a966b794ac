"""A function whose results are kept returns two different objects for one argument."""

import threading

from cachetools import cached


@cached({}, lock=threading.Lock())
def connect(name: str) -> list[str]:
    return [name]


def main() -> None:
    got: list[object] = []
    threads = [threading.Thread(target=lambda: got.append(connect("db"))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got[0] is got[1]
