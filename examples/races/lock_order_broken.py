"""Three philosophers, and a fork between every two: each takes the left fork, then the right one.

If all three have taken the left fork, each waits for the next one's, round the table, for ever.
"""

import threading


def dine(left: threading.Lock, right: threading.Lock, eaten: list[str]) -> None:
    with left, right:
        eaten.append(threading.current_thread().name)


def main() -> None:
    forks = [threading.Lock() for _ in range(3)]
    eaten: list[str] = []
    philosophers = [
        threading.Thread(target=dine, args=(forks[seat], forks[(seat + 1) % 3], eaten), name=f"philosopher {seat}")
        for seat in range(3)
    ]
    for philosopher in philosophers:
        philosopher.start()
    for philosopher in philosophers:
        philosopher.join()
    assert len(eaten) == 3


if __name__ == "__main__":
    main()
