"""One thread computes. Does another one go on meanwhile? That depends on what computes."""

import hashlib
import sys
import time
from collections.abc import Callable

from concmodels import SyncModel, load

DATA = bytes(150_000_000)


def in_python() -> None:
    """Gives up the GIL every 5 ms."""
    end = time.monotonic() + 0.2
    while time.monotonic() < end:
        pass


def in_c_without_the_gil() -> None:
    """hashlib lets go of the GIL while it reads what is long."""
    hashlib.sha256(DATA).digest()


def in_c_with_the_gil() -> None:
    """One call that does not let go of it."""
    sum(range(15_000_000))


def main(model: SyncModel, function: Callable[[], None]) -> int:
    ticks: list[float] = []
    with model.TaskGroup() as group:
        ticker = group.spawn(tick, model, ticks)
        model.sleep(0.02)
        begin = time.monotonic()
        function()
        end = time.monotonic()
        ticker.cancel()
    return sum(begin < moment < end for moment in ticks)


def tick(model: SyncModel, ticks: list[float]) -> None:
    while True:
        model.sleep(0.001)
        ticks.append(time.monotonic())


if __name__ == "__main__":
    print("the GIL is", "on" if sys._is_gil_enabled() else "off")
    model = load("threads")
    for function in (in_python, in_c_without_the_gil, in_c_with_the_gil):
        ticks = model.run(main, model, function)
        print(f"{function.__name__:21}: the other thread {'went on' if ticks > 3 else 'stood still'}")
