"""Two requests pass a limiter that lets one of them pass in a minute."""

import threading

from pyrate_limiter.core import LeakyBucketLimiter
from pyrate_limiter.engines.local import LocalBucket
from pyrate_limiter.exceptions import BucketFullException


def main() -> None:
    limiter = LeakyBucketLimiter(LocalBucket([]), capacity=1, window=60)
    passed: list[str] = []

    def ask(name: str) -> None:
        try:
            limiter.append(name)
            passed.append(name)
        except BucketFullException:
            pass

    threads = [threading.Thread(target=ask, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(passed) == 1, passed
