"""A cache for one item has two: both threads see that there is room for one more."""

import threading

from boltons.cacheutils import LRI


def main() -> None:
    cache = LRI(max_size=1)
    threads = [threading.Thread(target=cache.__setitem__, args=(key, key)) for key in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache) == 1, list(cache)
