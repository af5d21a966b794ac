"""Axes for times, sizes and factors: where they begin and end, and their ticks."""

from collections.abc import Callable, Iterable
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

from benchmarks.report import words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TICK, SHORT_TICK = 62, 35
"""Pixels that a tick with its words needs; one with a number alone."""


def log(
    axes: Axes,
    which: str,
    lowest: float,
    highest: float,
    write: Callable[[float], str],
    pixels: float,
    inset: float = 0,
) -> None:
    """Make one axis logarithmic, from the lowest to the highest; in the first `inset` pixels there is no tick."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axis: Any = getattr(axes, f"{which}axis")
    getattr(axes, f"set_{which}lim")(lowest, highest)  # before the scale, which would look for limits of its own
    getattr(axes, f"set_{which}scale")("log")
    ticks = size_ticks if write is words.size else log_ticks
    axis.set_major_locator(
        FixedLocator(ticks(lowest * (highest / lowest) ** (inset / pixels), highest, max(2, int(pixels / TICK))))
    )
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: write(value)))


STEPS = ((1, 2, 5), (1, 3), (1,), tuple(range(1, 10)))
"""Which digits ticks begin with: the first of these that fits; the last where hardly any tick would be left."""


def log_ticks(lowest: float, highest: float, most: int) -> list[float]:
    """Return round values between the two, as many as there is room for."""
    first, last = floor(log10(lowest)), ceil(log10(highest))
    powers = [10.0**power for power in range(first, last + 1)]
    return fitting(lambda steps: [step * power for power in powers for step in steps], lowest, highest, most)


def size_ticks(lowest: float, highest: float, most: int) -> list[float]:
    """Return round numbers of bytes, KiB, MiB, GiB."""
    powers = [float(power * unit) for unit in (1, 1 << 10, 1 << 20, 1 << 30) for power in (1, 10, 100)]
    return fitting(lambda steps: [step * power for power in powers for step in steps], lowest, highest, most)


def fitting(values: Callable[[tuple[int, ...]], list[float]], lowest: float, highest: float, most: int) -> list[float]:
    """Return the ticks of the first steps that fit, or some of the powers of ten if even those are too many."""
    for steps in STEPS:
        found = within(values(steps), lowest, highest)
        if 2 <= len(found) <= most:
            return found
    powers = within(values((1,)), lowest, highest)
    return powers[:: max(1, ceil(len(powers) / most))]


def within(values: Iterable[float], lowest: float, highest: float) -> list[float]:
    """Return the values between the two."""
    return [value for value in values if lowest <= value <= highest]


def linear(axes: Axes, highest: float, write: Callable[[float], str], pixels: float) -> None:
    """Let the x axis begin at zero."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.set_xlim(0, highest)
    space = TICK if write is words.duration else SHORT_TICK
    axes.xaxis.set_major_locator(MaxNLocator(max(2, int(pixels / space)), steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: write(value)))


def factor(value: float) -> str:
    """Write a ratio on an axis: `0.1`, `5`, `1,000`."""
    return words.plain(value)
