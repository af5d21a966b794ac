"""There are two of a singleton. Its scope has a lock; what led to it had none."""

import threading

from injector import Injector, singleton


@singleton
class Settings:
    pass


def main() -> None:
    injector = Injector()
    got: list[object] = []
    threads = [threading.Thread(target=lambda: got.append(injector.get(Settings))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got[0] is got[1]
