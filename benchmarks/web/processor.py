"""How much of a processor this thread takes, and how long it waits for one."""

import time


class Processor:
    """Measures from its creation on."""

    def __init__(self) -> None:
        self._began, self._used, self._waited = time.monotonic(), time.thread_time(), _waited_s()

    def shares(self) -> tuple[float, float | None]:
        """Return in what share of the time the thread ran, and waited for a processor; None if that is unknown."""
        took = time.monotonic() - self._began
        now = _waited_s()
        waited = None if now is None or self._waited is None else (now - self._waited) / took
        return (time.thread_time() - self._used) / took, waited


def _waited_s() -> float | None:
    """Return how long the kernel has had this thread wait for a processor that others had."""
    try:
        with open("/proc/thread-self/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except OSError, IndexError:
        return None
