"""Of three ids that a thread makes, two have the same counter, so only random bits say which of them is greater."""

import threading

from pure_uuid import UUID, uuid7


def main() -> None:
    uuid7()
    made: list[UUID] = []
    threads = [
        threading.Thread(target=lambda: made.extend(uuid7() for _ in range(3))),
        threading.Thread(target=uuid7),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    without_random_bits = [it.int >> 32 for it in made]
    assert len(set(without_random_bits)) == 3, made
