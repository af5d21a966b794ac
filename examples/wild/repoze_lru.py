"""Two items are put into a cache that has room for two, and one of them is lost."""

import threading

from repoze.lru import LRUCache


def main() -> None:
    cache = LRUCache(2)
    threads = [threading.Thread(target=cache.put, args=(key, key)) for key in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.get("a") and cache.get("b"), cache.data
