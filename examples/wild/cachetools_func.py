"""A function whose results are kept is called twice for one argument: a cache stampede."""

import threading

from cachetools.func import lru_cache


def main() -> None:
    calls: list[str] = []

    @lru_cache(maxsize=2)
    def load(key: str) -> str:
        calls.append(key)
        return key

    threads = [threading.Thread(target=load, args=("config",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == ["config"], calls
