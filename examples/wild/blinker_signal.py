"""A signal of one name is there twice: what connects to one of them never hears what is sent to the other."""

import threading

from blinker import Namespace


def main() -> None:
    namespace = Namespace()
    got: list[object] = []
    threads = [threading.Thread(target=lambda: got.append(namespace.signal("saved"))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got[0] is got[1]
