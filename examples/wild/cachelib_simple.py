"""Two threads count in a cache, and one of them is not counted."""

import threading

from cachelib import SimpleCache


def main() -> None:
    cache = SimpleCache(default_timeout=0)
    cache.set("visitors", 0)
    threads = [threading.Thread(target=cache.inc, args=("visitors",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.get("visitors") == 2, cache.get("visitors")
