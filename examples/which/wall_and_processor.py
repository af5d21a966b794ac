"""The time that has passed, and the part of it in which a processor worked for this program."""

import time
from collections.abc import Callable

from orders import fetch, price


def share(function: Callable[[], object]) -> float:
    """Return the part of a call in which this process computes."""
    passed, computed = time.perf_counter(), time.process_time()
    for _ in range(20):
        function()
    return (time.process_time() - computed) / (time.perf_counter() - passed)


for function in price, fetch:
    verdict = "CPU-bound: it computes" if share(function) > 0.5 else "I/O-bound: it waits"
    print(f"{function.__name__}: {verdict}")
