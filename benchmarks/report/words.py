"""Figures in words: seconds, bytes, factors, lists of names."""

from collections.abc import Callable, Collection, Iterable

UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
SIZES = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1))
BIG = (("G", 1e9), ("M", 1e6), ("k", 1e3))
FRACTION = 0.83
"""Ratios up to here are written as fractions."""
NEARLY = 0.9995
"""From here on three digits are rounded up to the next unit."""
ROUGH = 1.5
"""Where rounds differ by more than this factor, a figure's third digit says nothing."""


def duration(seconds: float) -> str:
    """Return seconds as `62 ns`, `5.13 µs`."""
    if not seconds:
        return "0"
    for unit, scale in UNITS:
        if seconds >= NEARLY * scale:
            return f"{plain(seconds / scale)} {unit}"
    return f"{seconds / 1e-9:.2g} ns"


def size(count: float) -> str:
    """Return bytes as `740 B`, `1.2 MiB`."""
    for unit, scale in SIZES:
        if count >= NEARLY * scale:
            return f"{plain(count / scale)} {unit}"
    return f"{count:.2g} B"


def rate(value: float) -> str:
    """Return a number in few characters: `16.1M`."""
    for unit, scale in BIG:
        if value >= NEARLY * scale:
            return f"{plain(value / scale)}{unit}"
    return plain(value)


def times(ratio: float) -> str:
    """Return a factor with two digits: `3.6 times`, `15 times`."""
    return f"{plain(float(f'{ratio:.2g}'))} times"


def as_many(ratio: float) -> str:
    """Return how many there are beside others: `3.6 times as many`, `as many`, `80% as many`."""
    if f"{ratio:.2g}" in ("1", "0.99"):
        return "as many"
    return f"{times(ratio)} as many" if ratio > 1 else f"{ratio:.0%} as many"


def takes(ratio: float) -> str:
    """Return how long something takes beside something else, never as a part of one: `takes 3.6 times as long`,
    `is 150 times as fast`, `takes as long`."""
    if f"{max(ratio, 1 / ratio):.2g}" in ("1", "1.0"):
        return "takes as long"
    return f"takes {times(ratio)} as long" if ratio > 1 else f"is {times(1 / ratio)} as fast"


def as_fast(value: float) -> str:
    """Return how many times as fast something is; what is clearly slower as a fraction: `1/6`."""
    return plain(value) if not value or value > FRACTION else f"1/{plain(float(f'{1 / value:.2g}'))}"


def span(values: Collection[float], write: Callable[[float], str]) -> str:
    """Return the least and the greatest value: `2 ms to 9 ms`; one where both are written alike, nothing of none."""
    return " to ".join(dict.fromkeys(write(it(values)) for it in (min, max))) if values else ""


def plain(value: float) -> str:
    """Return a number with three digits, and no exponent where people would not write one."""
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.3g}"


def rounded(value: float, rounds: Collection[float]) -> float:
    """Return a figure with two digits where its rounds lie far apart, else as it is."""
    far = rounds and min(rounds) > 0 and max(rounds) / min(rounds) > ROUGH
    return float(f"{value:.2g}") if far else value


def counted(number: int, what: str) -> str:
    """Return a number with what is counted: `1 round`, `2 rounds`."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def listing(names: Iterable[str]) -> str:
    """Return names as `a`, `a and b`, `a, b and c`; those that have commas as `a, x; b, x and c, x`."""
    *first, last = [*names]
    between = "; " if any("," in name for name in first) else ", "
    return f"{between.join(first)} and {last}" if first else last


def value(number: object) -> str:
    """Return a parameter as text: `10,000`, `all`, `4,096`."""
    return f"{number:,}" if isinstance(number, int) else str(number)
