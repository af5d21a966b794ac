"""A greenlet counts its recursion from where it was first entered: entered from deep down, it has little left."""

import sys

from greenlet import getcurrent, greenlet


def dive(depth: int) -> int:
    return 1 if depth == 0 else 1 + dive(depth - 1)


def guest() -> str:
    try:
        dive(700)
    except RecursionError:
        return "RecursionError"
    return "700 calls deep, and back"


def enter_from(depth: int, unit: greenlet) -> object:
    return unit.switch() if depth == 0 else enter_from(depth - 1, unit)


if __name__ == "__main__":
    sys.setrecursionlimit(1000)
    for depth in (0, 600):
        print(f"first entered {depth} calls deep:", enter_from(depth, greenlet(guest, getcurrent())))
