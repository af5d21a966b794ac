"""The picture of a failure as HTML: a row for each line, from top to bottom, and beside it a lane for each task.

    | o     main              19  for thread in threads:
    |   o   Thread-1 (visit)  14  visitors += 1
    |   |-o Thread-2 (visit)  14  visitors += 1

A style sheet draws it (`docs/_static/schedule.css`), so that it fits any width and any colours. What it says is a
list of lines, which a screen reader reads.
"""

from html import escape
from typing import TYPE_CHECKING

from concmodels.explore.failures.picture import lanes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from concmodels.explore.failures.moment import Moment

COLOURS = 6
"""The number of colours that the style sheet has for lanes."""


def drawing(rows: Sequence[Moment], first_line: int = 1, *, with_steps: bool = False) -> str:
    """Return the picture of these rows, which `picture.rows_of` chooses; lines count from `first_line` of the file.

    With `with_steps` each row also says what the task does there, which may be one of several steps of its line.
    """
    lanes = lanes_of(rows)
    at = [lanes.index(row.identity) for row in rows]
    drawn = [_lanes(rows, at, number) for number in range(len(rows))]
    texts = [_step(row) * with_steps + _line(row, first_line) * bool(row.line) for row in rows]
    items = map(_item, rows, drawn, at, texts, strict=True)
    return f'<ol class="schedule" style="--lanes:{len(lanes)}">{"".join(items)}</ol>'


def _step(row: Moment) -> str:
    return f'<span class="step">{escape(row.what)}</span> '


def _line(row: Moment, first_line: int) -> str:
    return f'<span class="line">{row.line - first_line + 1}</span> <code>{escape(row.source)}</code>'


def _item(row: Moment, lanes: str, lane: int, text: str) -> str:
    said = ' <span class="visually-hidden">(after a forced switch)</span>' if row.forced else ""
    return (
        f'<li class="{"forced" if row.forced else "row"}"><span class="lanes" aria-hidden="true">{lanes}</span>'
        f'<span class="task lane-{lane % COLOURS}">{escape(row.task)}</span>{said} {text}</li>'
    )


def _lanes(rows: Sequence[Moment], at: list[int], number: int) -> str:
    """Return what stands in the lanes beside a row: lines of the tasks that are under way, a switch, a point."""
    parts = []
    for lane in sorted(set(at)):
        first, last = at.index(lane), len(at) - 1 - at[::-1].index(lane)
        if first <= number <= last and first < last:
            ends = " begins" if number == first else " ends" if number == last else ""
            parts.append(_mark("i", f"way{ends} lane-{lane % COLOURS}", lane))
    if number + 1 < len(at) and at[number + 1] != at[number]:
        parts.append(_mark("i", "leaves" + _forced(rows[number + 1]), at[number]))
    if number and at[number - 1] != at[number]:
        left, right = sorted((at[number - 1], at[number]))
        side = " to-left" if at[number] == left else ""
        parts.append(_mark("i", f"switch{side}{_forced(rows[number])}", left, right - left))
    parts.append(_mark("b", f"lane-{at[number] % COLOURS}", at[number]))
    return "".join(parts)


def _forced(row: Moment) -> str:
    return " by-force" if row.forced else ""


def _mark(element: str, classes: str, lane: int, width: int = 0) -> str:
    over = f";--over:{width}" if width else ""
    return f'<{element} class="{classes}" style="--at:{lane}{over}"></{element}>'
