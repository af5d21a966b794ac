"""Figures as texts of a few characters, as the tables show them."""

from collections.abc import Sequence


def short(number: float) -> str:
    """Return a number in at most five characters: `1.23M`."""
    return _scaled(number, (("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1)))


def duration(nanoseconds: float) -> str:
    """Return nanoseconds with three digits and their unit: `5.13us`."""
    return _scaled(nanoseconds, (("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1)))


def _scaled(number: float, units: Sequence[tuple[str, float]]) -> str:
    unit, scale = next((it for it in units if number >= 0.9995 * it[1]), units[-1])
    return f"{number / scale:.3g}{unit}"


def seconds(value: float) -> str:
    """Return a time in at most five characters: `7ms`, `0.13s`, `12.3s`, `1234s`."""
    if value < 0.0995:
        return f"{value * 1000:.0f}ms" if value >= 0.0005 else "0"
    return f"{value:.2f}s" if value < 9.995 else f"{value:.1f}s" if value < 99.95 else f"{value:.0f}s"


def size(value: float) -> str:
    """Return bytes as `29M`, `1.2G`."""
    mib = value / 1024**2
    return f"{mib:.0f}M" if mib < 999.5 else f"{mib / 1024:.1f}G"


def times(value: float) -> str:
    """Return a factor as `1.87x`."""
    return f"{value:.2f}x" if value < 9.995 else f"{short(value)}x"


WAYS = {"short": short, "duration": duration, "times": times, "seconds": seconds, "size": size}
"""The ways to write a figure, by their names in `Outcome.columns`."""
