"""Two items are put into a cache for one, and both are evicted: that it is too full is looked up without the lock."""

import threading

from zict import LRU


def main() -> None:
    cache: LRU[str, str] = LRU(1, {})
    threads = [threading.Thread(target=cache.__setitem__, args=(key, key)) for key in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache) == 1, list(cache)
