"""The axis of a picture: from moments to pixels. Long times in which nothing happens are cut out.

Otherwise the start of some processes would take nearly all of the width, and what they do would be a line.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

_MOST_CUTS = 3
_IDLE, _BUSY = 1 / 3, 0.6
"""A time is cut out if this is its share, at least, of all that would be shown with it.

The first is for times in which all wait; the second for times in which some sleep, or one runs alone.
"""
_FEW_MOMENTS = 8
_CUT_WIDTH = 30
_APART = 62
"""The pixels between two ticks at least."""


class Cut(NamedTuple):
    """A time that is not shown, or need not be if it has at least this share of what is."""

    begin: int
    end: int
    least: float = _IDLE


class Axis:
    """Maps moments, in nanoseconds or in steps, to pixels between `left` and `right`."""

    def __init__(self, begin: int, end: int, left: float, right: float, idle: Iterable[Cut] = ()) -> None:
        self.begin, self.end, self.left, self.right = begin, end, left, right
        self.cuts = cuts_of(max(end - begin, 1), idle)
        self.shown = max(end - begin - sum(cut.end - cut.begin for cut in self.cuts), 1)
        self.scale = (right - left - _CUT_WIDTH * len(self.cuts)) / self.shown

    def __call__(self, moment: int) -> float:
        """Return the pixel of a moment."""
        x, at = self.left, self.begin
        for cut in self.cuts:
            if moment <= cut.begin:
                break
            x += (cut.begin - at) * self.scale
            if moment < cut.end:
                return x + _CUT_WIDTH * (moment - cut.begin) / (cut.end - cut.begin)
            x, at = x + _CUT_WIDTH, cut.end
        return x + (moment - at) * self.scale

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Yield the pixels and the texts of the ticks: times since the beginning, none of them inside of a cut."""
        step = step_of(self.shown / max(1.0, (self.right - self.left) / _APART))
        last = -_APART * 1.0
        for moment in range(self.begin, self.end + 1, step) if not self.cuts else self._moments(step):
            x = self(moment)
            if x - last >= _APART and not any(cut.begin < moment < cut.end for cut in self.cuts):
                last = x
                yield x, label(moment - self.begin, step)

    def _moments(self, step: int) -> Iterator[int]:
        """Yield the multiples of a step outside of the cuts, without walking through these."""
        edges = [self.begin, *(edge for cut in self.cuts for edge in cut[:2]), self.end]
        for begin, end in zip(edges[::2], edges[1::2], strict=True):
            first = self.begin - (self.begin - begin) // step * step
            yield from range(first, end + 1, step)


def cuts_of(length: int, idle: Iterable[Cut]) -> list[Cut]:
    """Return the times to be cut out, in order: the longest first, as long as it is long beside what remains."""
    found: list[Cut] = []
    for cut in sorted(idle, key=lambda it: it.begin - it.end):
        if len(found) < _MOST_CUTS and cut.end - cut.begin >= cut.least * length:
            found.append(cut)
            length -= cut.end - cut.begin
    return sorted(found)


type Times = Sequence[tuple[int, int]]


def idle_times(moments: Iterable[int], running: Times, starting: Times = (), asleep: Times = ()) -> Iterator[Cut]:
    """Yield the times between two moments in which no task runs, or one alone; not where two compute beside each other.

    That one only starts the others, or does what has nothing to do with them.
    """
    changes = sorted(
        (moment, kind, change)
        for kind, times in enumerate((running, starting, asleep))
        for both in times
        for moment, change in zip(both, (1, -1), strict=True)
    )
    now, at = [0, 0, 0], 0
    edges = sorted(set(moments))
    for begin, end in pairwise(edges):
        while at < len(changes) and changes[at][0] <= begin:
            now[changes[at][1]] += changes[at][2]
            at += 1
        run, start, sleep = now
        if run <= min(start, 1):
            yield Cut(begin, end, _BUSY if sleep else _IDLE)
        elif run == 1 and len(edges) >= _FEW_MOMENTS:
            yield Cut(begin, end, _BUSY)


def step_of(least: float) -> int:
    """Return 1, 2 or 5 times a power of ten, at least this much."""
    power = 1
    while power * 10 < least:
        power *= 10
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least)


def label(ns: int, step: int) -> str:
    """Return a time as text, with as many digits as tell it from the next tick."""
    if not ns:
        return "0"
    scale, unit = next((it for it in ((10**9, "s"), (10**6, "ms"), (10**3, "µs")) if ns >= it[0]), (1, "ns"))
    digits = 0
    while step * 10**digits % scale and digits < 9:
        digits += 1
    return f"{ns / scale:.{digits}f} {unit}"


def duration(ns: float) -> str:
    """Return a time as text with three digits: `5.69 ms`."""
    scale, unit = next((it for it in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")) if ns >= it[0] * 0.9995), (1, "ns"))
    return f"{ns / scale:.3g} {unit}"
