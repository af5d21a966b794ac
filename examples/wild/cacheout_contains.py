"""An item is replaced by another one, and meanwhile the cache says that it has none of that name."""

import threading

from cacheout import Cache


def main() -> None:
    cache = Cache()
    cache.set("config", 1)
    seen: list[bool] = []
    threads = [
        threading.Thread(target=cache.set, args=("config", 2)),
        threading.Thread(target=lambda: seen.append("config" in cache)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True]
