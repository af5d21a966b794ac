"""Everything is patched. A call from Python lets the others run; does a call of C code?"""

from gevent import monkey

monkey.patch_all()

import ctypes  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402

import gevent  # noqa: E402


def ticks_during(pause: Callable[[], object]) -> str:
    ticks: list[bool] = []

    def tick() -> None:
        while True:
            gevent.sleep(0.001)
            ticks.append(True)

    ticker = gevent.spawn(tick)
    gevent.sleep(0)
    pause()
    ticker.kill()
    return "some" if ticks else "none"


if __name__ == "__main__":
    libc = ctypes.CDLL(None)
    print("time.sleep:", ticks_during(lambda: time.sleep(0.1)))
    print("usleep in C:", ticks_during(lambda: libc.usleep(100_000)))
