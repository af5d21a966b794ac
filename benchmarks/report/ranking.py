"""Orders of rows, which are ranked only as far as their rounds tell them apart (`benchmarks.rounds`)."""

from collections.abc import Iterable

from benchmarks.report import words
from benchmarks.result import Row
from benchmarks.rounds import ENOUGH, compared

FEW = 3
"""So many names fit into a title."""


def less(row: Row, other: Row, figure: str = "seconds") -> bool:
    """Return whether a row has less of a figure than another one, as far as rounds can tell: is faster, by default."""
    ratio = compared(row, other, figure)
    return ratio is not None and ratio.above(1)


def leaders(rows: list[Row], figure: str = "seconds") -> list[Row]:
    """Return the rows that no row has measurably less than, the one with the least median first."""
    return [row for row in in_order(rows, figure) if not any(less(it, row, figure) for it in rows)]


def trailers(rows: list[Row]) -> list[Row]:
    """Return the rows that are measurably faster than no other one, the one with the greatest median first."""
    return [row for row in reversed(in_order(rows)) if not any(less(row, it) for it in rows)]


def are_ranked(rows: list[Row]) -> bool:
    """Return whether there is an order: no row is at once among the first ones and among the last ones."""
    return not {row.name for row in leaders(rows)} & {row.name for row in trailers(rows)}


def in_order(rows: Iterable[Row], figure: str = "seconds") -> list[Row]:
    """Return the rows by the medians of a figure, the least first."""
    return sorted(rows, key=lambda row: row.figure(figure) or 0)


def between(rows: list[Row]) -> str:
    """Return the least and the greatest median in words: `63 ns to 74 ns`."""
    return words.span([row.median for row in rows], words.duration)


def names(rows: list[Row], most: int = FEW) -> str:
    """Return the names of a few rows; of more, the first ones and how many others there are."""
    known = [row.candidate for row in rows]
    more = len(known) - most
    return words.listing(known if more <= 0 else [*known[:most], f"{more} more"])


def headline(rows: list[Row]) -> str:
    """Say which rows lead and how far the last ones are behind, as far as their rounds tell them apart."""
    each = f"a {rows[0].step}"
    if len(rows) == 1:
        return f"Only {rows[0].candidate} was measured: {words.duration(rows[0].median)} {each}"
    if not are_ranked(rows):
        return f"{between(rows)} {each}; {unranked(rows)}"
    first, last = leaders(rows), trailers(rows)
    text = f"{names(first)} {'leads' if len(first) == 1 else 'lead'} with {between(first)} {each}"
    ratio = words.times(last[0].median / first[0].median)
    return f"{text}; {last[0].candidate} takes {ratio} as long"


def unranked(rows: list[Row]) -> str:
    """Say why there is no order."""
    rounds = min(len(row.seconds) for row in rows)
    if rounds < ENOUGH:
        return f"{words.counted(rounds, 'round')} can't tell which is first"
    return "no order can be told"
