"""The figures of an article on web services without the GIL, as it gives them: "then", beside what is measured here.

Giovanni Barillari, "The future of Python web services looks GIL-free", October 2025: Granian with FastAPI and Flask on
eight cores (Ryzen 7 5700X), rewrk for 30 seconds in a closed loop, on 128 connections per worker that are kept. Figures
of another machine: hold ratios against ratios.
"""

from typing import NamedTuple


class Past(NamedTuple):
    """One cell of the article's tables. What it does not say is None."""

    interface: str
    workers: int
    threads: int | None
    """Blocking threads, of WSGI."""
    endpoint: str
    python: str
    per_second: float
    mean_ms: float
    max_ms: float | None = None
    cores: float | None = None
    memory_mb: float | None = None


ASGI = [
    Past("asgi", 1, None, "/json", "3.14", 30_415, 4.20, 45.29, 0.42, 90),
    Past("asgi", 1, None, "/json", "3.14t", 24_218, 5.27, 59.25, 0.80, 80),
    Past("asgi", 2, None, "/json", "3.14", 59_219, 4.32, 70.71, 1.47, 147),
    Past("asgi", 2, None, "/json", "3.14t", 48_446, 5.28, 68.17, 1.73, 90),
    Past("asgi", 1, None, "/io", "3.14", 11_333, 11.28, 40.72, 0.41, 90),
    Past("asgi", 1, None, "/io", "3.14t", 11_351, 11.26, 35.18, 0.38, 81),
    Past("asgi", 2, None, "/io", "3.14", 22_775, 11.22, 114.82, 0.69, 148),
    Past("asgi", 2, None, "/io", "3.14t", 23_473, 10.89, 60.29, 1.10, 91),
]
WSGI = [
    Past("wsgi", 1, 64, "/json", "3.14", 18_773, 6.11, 27_446, 0.53, 101),
    Past("wsgi", 1, 64, "/json", "3.14t", 70_626, 1.81, 312, 6.50, 356),
    Past("wsgi", 2, 64, "/json", "3.14", 36_173, 5.73, 27_692, 1.31, 188),
    Past("wsgi", 2, 64, "/json", "3.14t", 60_138, 4.25, 295, 6.56, 413),
    Past("wsgi", 1, 64, "/io", "3.14", 6282, 20.34, 62, 0.40, 105),
    Past("wsgi", 1, 64, "/io", "3.14t", 6244, 20.47, 165, 0.42, 216),
    Past("wsgi", 2, 64, "/io", "3.14", 12_566, 20.33, 88, 0.65, 180),
    Past("wsgi", 2, 64, "/io", "3.14t", 12_444, 20.55, 124, 1.18, 286),
]
THREADS = [
    Past("wsgi", 1, 1, "/json", "3.14", 19_377, 6.60, 28),
    Past("wsgi", 1, 8, "/json", "3.14", 18_704, 6.76, 26),
    Past("wsgi", 1, 32, "/json", "3.14", 18_639, 6.68, 34),
    Past("wsgi", 1, 128, "/json", "3.14", 15_547, 8.17, 3949),
    Past("wsgi", 1, 1, "/io", "3.14", 94, 1264, 1358),
    Past("wsgi", 1, 8, "/io", "3.14", 781, 162, 198),
    Past("wsgi", 1, 32, "/io", "3.14", 3115, 40.8, 121),
    Past("wsgi", 1, 128, "/io", "3.14", 11_271, 11.3, 60),
]
SHARES = [
    Past("wsgi", 1, 2, "/json", "3.14t", 28_898, 4.42, 87),
    Past("wsgi", 2, 1, "/json", "3.14t", 28_424, 4.49, 76),
    Past("wsgi", 1, 4, "/json", "3.14t", 54_669, 2.33, 112),
    Past("wsgi", 4, 1, "/json", "3.14t", 53_532, 2.38, 122),
    Past("wsgi", 2, 2, "/json", "3.14t", 55_426, 2.30, 124),
]


def quoted(seconds: float, **figures: float | None) -> tuple[float, dict[str, float | None]]:
    """Return what a candidate returns, of figures that were published: nothing is measured."""
    return seconds, figures
