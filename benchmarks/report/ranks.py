"""What can be said of an order: rows whose spreads overlap are not ranked against each other."""

from collections.abc import Iterable

from benchmarks.report import words
from benchmarks.result import Row

FEW = 3
"""So many names fit into a title."""


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
    first, last = (words.duration(row.median) for row in (in_order(rows)[0], in_order(rows)[-1]))
    return first if first == last else f"{first} to {last}"


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


__all__ = ["between", "faster", "headline", "in_order", "leaders", "names", "trailers"]
