"""What can be said of an order: rows whose spreads overlap are not ranked, nor is what was measured only once."""

from collections.abc import Iterable

from benchmarks.report import words
from benchmarks.result import Row

FEW = 3
"""So many names fit into a title."""
AGAIN = 1.25
"""A figure that was measured once may be so many times as much, or as little, another time."""


def faster(row: Row, other: Row) -> bool:
    """Return whether the slowest round of a row was faster than the fastest round of another one."""
    return row.most < other.least


def leaders(rows: list[Row]) -> list[Row]:
    """Return the rows that no row is measurably faster than, the one with the least median first."""
    return [row for row in in_order(rows) if not any(faster(it, row) for it in rows)]


def trailers(rows: list[Row]) -> list[Row]:
    """Return the rows that are measurably faster than no other one, the one with the greatest median first."""
    return [row for row in reversed(in_order(rows)) if not any(faster(row, it) for it in rows)]


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Return the rows by their medians, the fastest first."""
    return sorted(rows, key=lambda row: row.median)


def between(rows: list[Row]) -> str:
    """Return the least and the greatest median in words: `63 ns to 74 ns`."""
    return words.span([row.median for row in rows], words.duration)


def names(rows: list[Row], most: int = FEW) -> str:
    """Return the names of a few rows; of more, the first ones and how many others there are."""
    known = [row.candidate for row in rows]
    more = len(known) - most
    return words.listing(known if more <= 0 else [*known[:most], f"{more} more"])


def headline(rows: list[Row]) -> str:
    """Say which rows lead and how far the last ones are behind, as far as the spreads allow it."""
    each = f"a {rows[0].step}"
    if len(rows) == 1:
        return f"Only {rows[0].candidate} was measured: {words.duration(rows[0].median)} {each}"
    first, last = leaders(rows), trailers(rows)
    if {row.candidate for row in first} & {row.candidate for row in last}:
        return f"Their spreads overlap, so nobody leads: {between(rows)} {each}"
    text = f"{names(first)} {'leads' if len(first) == 1 else 'lead'} with {between(first)} {each}"
    ratio = words.times(last[0].median / first[0].median)
    return f"{text}; {last[0].candidate} takes {ratio} as long"


def bounds(row: Row, figure: str = "seconds") -> tuple[float, float]:
    """Return between what a figure lies, also one that was measured only once."""
    values = row.by_round(figure).values()
    slack = AGAIN if len(values) == 1 else 1
    return min(values) / slack, max(values) * slack


def below(row: Row, other: Row, figure: str = "seconds") -> bool:
    """Return whether a figure of one row is less than that of another one beyond their spreads."""
    return bounds(row, figure)[1] < bounds(other, figure)[0]


def least(rows: list[Row], figure: str = "seconds") -> list[Row]:
    """Return the rows of which no other one has less beyond the spreads, the one with the least median first."""
    found = [row for row in rows if not any(below(other, row, figure) for other in rows)]
    return sorted(found, key=lambda row: row.figure(figure) or 0)


__all__ = [
    "below", "between", "bounds", "faster", "headline", "in_order", "leaders", "least", "names", "trailers",
]  # fmt: skip
