"""An item is replaced twice at once, and its weight is counted twice: the cache believes to be fuller than it is."""

import threading

from zict import LRU


def main() -> None:
    cache: LRU[str, int] = LRU(2, {})
    cache["a"] = 1
    threads = [threading.Thread(target=cache.__setitem__, args=("a", value)) for value in (2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.total_weight == len(cache) == 1, (cache.total_weight, len(cache))
