"""Without a bound, the cache that is written in Python counts its misses without the lock."""

import threading

from pure_functools import lru_cache


def main() -> None:
    @lru_cache(maxsize=None)
    def double(number: int) -> int:
        return 2 * number

    threads = [threading.Thread(target=double, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert double.cache_info().misses == 2, double.cache_info()
