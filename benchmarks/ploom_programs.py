"""Two of the races in ploom's own types: it runs no unmodified programs."""

from typing import Any


def lost_update(ploom: Any, fixed: bool) -> None:
    """Two visitors."""
    visitors, lock = ploom.SharedCell(0), ploom.Lock()

    def visit() -> None:
        if fixed:
            with lock:
                visitors.write(visitors.read() + 1)
        else:
            visitors.write(visitors.read() + 1)

    _together(ploom, visit, visit)
    assert visitors.read() == 2


def lock_order(ploom: Any, fixed: bool) -> None:
    """Three philosophers."""
    forks = [ploom.Lock() for _ in range(3)]

    def dine(seat: int) -> None:
        pair = [seat, (seat + 1) % 3]
        first, second = sorted(pair) if fixed else pair
        with forks[first], forks[second]:
            pass

    _together(ploom, *(lambda seat=seat: dine(seat) for seat in range(3)))


def _together(ploom: Any, *bodies: Any) -> None:
    threads = [ploom.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
