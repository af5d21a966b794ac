"""Two threads ask for one object, with a default, and get two. A dict would give both the same one."""

import threading

from pure_weakref import WeakValueDictionary


class Connection:
    pass


def main() -> None:
    connections = WeakValueDictionary()
    got: list[object] = []
    threads = [
        threading.Thread(target=lambda: got.append(connections.setdefault("db", Connection()))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got[0] is got[1]
