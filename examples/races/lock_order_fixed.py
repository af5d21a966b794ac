"""Three philosophers, and a fork between every two: each takes the fork with the lower number first.

All take their locks in one order, so the one that holds the highest waits for nobody.
"""

import threading


def dine(first: threading.Lock, second: threading.Lock, eaten: list[str]) -> None:
    with first, second:
        eaten.append(threading.current_thread().name)


def main() -> None:
    forks = [threading.Lock() for _ in range(3)]
    eaten: list[str] = []
    philosophers: list[threading.Thread] = []
    for seat in range(3):
        first, second = sorted([seat, (seat + 1) % 3])
        args = (forks[first], forks[second], eaten)
        philosophers.append(threading.Thread(target=dine, args=args, name=f"philosopher {seat}"))
    for philosopher in philosophers:
        philosopher.start()
    for philosopher in philosophers:
        philosopher.join()
    assert len(eaten) == 3


if __name__ == "__main__":
    main()
