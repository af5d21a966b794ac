"""The ids that one thread makes, one after the other, are not in order if another thread makes one too."""

import threading

from pure_uuid import uuid7


def main():
    uuid7()
    made = []
    threads = [
        threading.Thread(target=lambda: made.extend(uuid7() for _ in range(4))),
        threading.Thread(target=uuid7),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == sorted(made), made
