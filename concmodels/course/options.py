"""Numbers on the command line, with their bounds."""

import argparse
from collections.abc import Callable

from concmodels.programs.options import seconds, whole

_LONGEST_S = 86_400.0


def between(least: int, most: int) -> Callable[[str], int]:
    """Return a function that reads a whole number within these bounds, and raises `ArgumentTypeError` for all else."""

    def read(text: str) -> int:
        found: int = whole()(text)
        if not least <= found <= most:
            raise argparse.ArgumentTypeError(f"a whole number from {least:,} to {most:,} is needed, not {text}")
        return found

    return read


def bounded_seconds(text: str) -> float:
    """Read a number of seconds, a day at most. Raises `ArgumentTypeError`."""
    found = seconds(text)
    if found > _LONGEST_S:
        raise argparse.ArgumentTypeError(f"at most {_LONGEST_S:,.0f} seconds, which is a day, not {text}")
    return found
