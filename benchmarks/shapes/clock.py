"""A clock for a part of a program: seconds, and CPU seconds of this process and of those that it has started."""

import os
import time
from typing import Any, Self

from concmodels.platform import measuring


class Clock:
    """Measures a `with` block, in which no process starts and none ends."""

    def __enter__(self) -> Self:
        self._processes = list(measuring.descendants(os.getpid()) or ())
        self._used = self._cpu()
        self._began = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self._began
        self.cpu = self._cpu() - self._used

    def _cpu(self) -> float:
        """Return the CPU seconds until now."""
        return time.process_time() + sum(map(cpu_of, self._processes))

    def took(self, steps: int, **figures: Any) -> tuple[float, dict[str, Any]]:
        """Return the seconds, and the CPU seconds of a step beside other figures."""
        return self.seconds, {"cpu_s_per_step": self.cpu / steps, **figures}


def cpu_of(pid: int) -> float:
    """Return the CPU seconds of another process: this is what `clock_getcpuclockid` makes of its number on Linux."""
    return time.clock_gettime((~pid << 3) | 2)
