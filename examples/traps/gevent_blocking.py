"""gevent's own calls let the others run; the standard library's don't, unless it was patched before."""

import time
from collections.abc import Callable

import gevent


def other(log: list[str]) -> None:
    log.append("the other one")


def during(pause: Callable[[float], object]) -> str:
    log: list[str] = []
    unit = gevent.spawn(other, log)
    pause(0.01)
    log.append("back from the pause")
    unit.join()
    return ", then ".join(log)


if __name__ == "__main__":
    print("gevent.sleep:", during(gevent.sleep))
    print("time.sleep:", during(time.sleep))
