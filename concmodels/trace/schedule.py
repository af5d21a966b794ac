"""The picture of a schedule: a lane for each task, a box for each step in which one of them ran, and the switches.

A box has the number of its line; below the lanes are the lines. Red switches are those that the schedule forced.
"""

from collections.abc import Iterator
from itertools import pairwise

from concmodels.trace import svg
from concmodels.trace.reading import Row, Trace
from concmodels.trace.stuck import stuck, wait_in_words

_SMALLEST = 16
"""The width of a box that has space for a number."""
_WIDEST = 64
_MOST_LINES = 24


def schedule(trace: Trace, title: str, width: int, style: str) -> str:
    """Return the picture as SVG, with `style` for its variables."""
    rows = merged(trace)
    lanes = [lane for lane in trace.lanes.values() if any(row.lane == lane.number for row in rows)]
    parts: list[str] = []
    ended = (trace.ended or "It ended well").rstrip(":")
    y = svg.heading(parts, width, title, f"{ended}; time is the step")
    is_narrow = width < 500
    left = 12.0 if is_narrow else min(160.0, max((len(it.name) for it in lanes), default=0) * svg.LETTER + 24)
    apart = 42 if is_narrow else 30
    at = {lane.number: y + (34 if is_narrow else 20) + apart * row for row, lane in enumerate(lanes)}
    for lane in lanes:
        place = (12, at[lane.number] - 14) if is_narrow else (12, at[lane.number] + 4)
        parts.append(svg.text(*place, svg.fitted(lane.name, width - 24 if is_narrow else left - 18)))
        parts.append(svg.path("grid", f"M{left:.1f} {at[lane.number]:.1f}H{width - 12}"))
    waits = [it for it in stuck(trace) if it.lane in at]
    pixels = min(_WIDEST, (width - left - (70 if waits else 14)) / max(len(rows), 1))
    parts += _switches(rows, trace, at, [left + pixels * number - 1 for number in range(len(rows))])
    for number, row in enumerate(rows):
        _box(row, left + pixels * number, pixels, at[row.lane], parts)
    for number, it in enumerate(waits):
        begin = max((place for place, row in enumerate(rows, 1) if row.lane == it.lane), default=0)
        tip = wait_in_words(it, trace)
        parts.append(svg.bar("waiting", left + pixels * begin, width - 68, at[it.lane], 3, tip))
        parts += [svg.waits_for(width - 64, at[it.lane], at[to], number, tip) for to in it.waits_for if to in at]
    y = _lines(rows, width, max(at.values(), default=y) + 32, parts)
    return svg.whole(title, (width, y), style, parts)


def _switches(rows: list[Row], trace: Trace, at: dict[int, float], places: list[float]) -> Iterator[str]:
    """Yield the lines from each step to the next one, where another task goes on."""
    for (before, row), x in zip(pairwise(rows), places[1:], strict=False):
        if before.lane != row.lane:
            tip = f"{'a forced switch' if row.is_forced else 'a switch'} to {trace.name(row.lane)}"
            kind = "bad" if row.is_forced else "spawn"
            yield svg.path(kind, f"M{x:.1f} {at[before.lane]:.1f}V{at[row.lane]:.1f}", tip)


def merged(trace: Trace) -> list[Row]:
    """Return the steps in order, of several on one line without another task in between the first alone.

    If a switch was forced to a task that begins, or to another step without a line, its first line counts as forced.
    """
    found: list[Row] = []
    forced: set[int] = set()
    for row in sorted((row for row in trace.rows() if row.what == "step"), key=lambda it: it.begin):
        if row.is_forced:
            forced.add(row.lane)
        if not row.line:
            continue
        is_same = found and (found[-1].lane, found[-1].place) == (row.lane, row.place)
        if not is_same:
            found.append(row._replace(is_forced=row.lane in forced))
        elif row.lane in forced:
            found[-1] = found[-1]._replace(is_forced=True)
        forced.discard(row.lane)
    return found


def _box(row: Row, x: float, pixels: float, y: float, parts: list[str]) -> None:
    place = row.place.rpartition("/")[2]
    parts.append(svg.bar("running", x, x + max(pixels - 2, 1), y, 20, f"{place}  {row.line}"))
    number = row.place.rpartition(":")[2]
    if pixels >= max(_SMALLEST, len(number) * 7 + 4):
        parts.append(svg.text(x + (pixels - 2) / 2, y + 4, number, "code on", "middle"))


def _lines(rows: list[Row], width: int, y: float, parts: list[str]) -> float:
    """Draw the lines of the program that the boxes name, in the order of their numbers; return how far down."""
    lines = sorted({(int(row.place.rpartition(":")[2] or 0), row.place.rpartition(":")[0], row.line) for row in rows})
    for number, _, line in lines[:_MOST_LINES]:
        parts.append(svg.text(34, y, str(number), "code", "end"))
        parts.append(svg.text(44, y, svg.fitted(line, width - 56, 6.7), "code"))
        y += 16
    if len(lines) > _MOST_LINES:
        parts.append(svg.text(44, y, f"and {len(lines) - _MOST_LINES} more", "soft"))
        y += 16
    return y
