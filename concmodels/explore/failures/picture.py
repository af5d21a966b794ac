"""The picture of a failure: a row for each line, from top to bottom, and the rows of each task a little further right.

    main                lost_update.py:19  for thread in threads:
      Thread-1 (visit)  lost_update.py:14  visitors += 1
    >   Thread-2 (visit)  lost_update.py:14  visitors += 1

Only lines are shown that touch what several tasks contend for, the last one of each task, and those that a forced
switch has led to, which have a mark. What repeats itself near the end, of tasks that poll, is shown once.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from concmodels.explore.failures.contested import contested

if TYPE_CHECKING:
    from concmodels.explore.failures.moment import Moment

ROWS = 50
"""The most rows, unless the caller says otherwise; of a longer picture the end is shown."""
_CYCLE = 16
"""The most rows of what repeats itself."""
_TAIL = 8
"""The most rows that follow."""
_OFTEN = 3
"""How often it does that at least."""


def picture(moments: Sequence[Moment], most: int = ROWS) -> list[str]:
    """Return the rows; of more than `most` of them the last ones, below how many are left out."""
    rows, repeated, tail = _without_repetition(rows_of(moments))
    hidden = max(0, len(rows) - most + (repeated > 1))
    rows, at = rows[hidden:], len(rows) - tail - hidden
    lanes = lanes_of(rows)
    texts = [_in_lane(moment, lanes.index(moment.identity)) for moment in rows]
    width = max(map(len, texts), default=0) + 2
    lines = [
        f"{text:{width}}{os.path.basename(moment.file)}:{moment.line}  {moment.source}".rstrip()
        for moment, text in zip(rows, texts, strict=True)
    ]
    if repeated > 1:
        lines.insert(at, f"  ... and so on, {repeated} times")
    return [f"  ... {hidden} more before", *lines] if hidden > 0 else lines


def rows_of(moments: Sequence[Moment]) -> list[Moment]:
    """Return the moments that a picture shows, one for each of its rows; what repeats itself is not folded yet."""
    return list(_rows(list(_marked(moments))))


def lanes_of(rows: Sequence[Moment]) -> list[str]:
    """Return the identities of the tasks in these rows, in the order of their lanes."""
    return sorted({moment.identity for moment in rows}, key=lambda identity: [*map(int, identity.split("."))])


def _without_repetition(rows: list[Moment]) -> tuple[list[Moment], int, int]:
    """Return the rows with what repeats itself near the end only once, how often it is there, and how many follow."""
    lines = [(it.identity, it.file, it.line) for it in rows]
    for cycle in range(1, _CYCLE + 1):
        for tail in range(min(_TAIL, len(lines)) + 1):
            begin = end = len(lines) - tail - cycle
            times = 1
            while end >= cycle and lines[end - cycle : end] == lines[begin : begin + cycle]:
                end, times = end - cycle, times + 1
            if times >= _OFTEN:
                return rows[: end + cycle] + rows[begin + cycle :], times, tail
    return rows, 1, 0


def _in_lane(moment: Moment, lane: int) -> str:
    return f"{'> ' if moment.forced else '  '}{'  ' * lane}{moment.task}"


def _marked(moments: Sequence[Moment]) -> Iterator[Moment]:
    """Yield the moments that have a line; where a forced switch has a task begin, its first line gets the mark."""
    forced = set()
    for moment in moments:
        if moment.forced:
            forced.add(moment.identity)
        if moment.file:
            yield replace(moment, forced=moment.identity in forced)
            forced.discard(moment.identity)


def _rows(moments: list[Moment]) -> Iterator[Moment]:
    """Yield one moment for each line that a task has run before it went on to another one, if it is to be shown."""
    keys = contested((moment.identity, moment.footprint) for moment in moments)
    last = {moment.identity: moment for moment in moments}
    for _, group in groupby(moments, key=lambda it: (it.identity, it.file, it.line)):
        found = list(group)
        is_forced = any(it.forced for it in found)
        if is_forced or any(it is last[it.identity] or keys & it.footprint.keys() for it in found):
            yield replace(found[0], forced=is_forced)
