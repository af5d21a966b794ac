"""Items of several kinds and sizes, by name: what a message may be besides a number."""

from collections.abc import Callable
from typing import Any

KB = 1000


def array() -> Any:
    """Return an array of a megabyte. Raises `NotHere` without numpy."""
    from benchmarks.cell import NotHere

    try:
        import numpy as np
    except ImportError:
        raise NotHere("not installed; pip install numpy") from None
    return np.arange(1000 * KB // 8, dtype="int64")


ITEMS: dict[str, Callable[[], Any]] = {
    "int": lambda: 12345,
    "str of 20": lambda: "twenty letters, each",
    "tuple": lambda: (1, "two", 3.0),
    "dict of 10": lambda: {f"key {number}": number for number in range(10)},
    "list of 1,000": lambda: list(range(1000)),
    "10 kB": lambda: b"x" * (10 * KB),
    "60 kB": lambda: b"x" * (60 * KB),
    "250 kB": lambda: b"x" * (250 * KB),
    "1 MB": lambda: b"x" * (1000 * KB),
    "array of 1 MB": array,
}
"""Those with a size alone are bytes."""
