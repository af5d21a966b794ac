"""Spreads of figures, also of those that were measured only once: what can't be told apart is not ranked."""

from benchmarks.result import Row

AGAIN = 1.25
"""A figure that was measured once may be so many times as much, or as little, another time."""


def bounds(row: Row, figure: str = "seconds") -> tuple[float, float]:
    """Return between what a figure lies."""
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


__all__ = ["below", "bounds", "least"]
