"""Which task waits for which, at the end of a run that ended in a deadlock.

The report of the deadlock says what each task waits for, and who holds a lock. Who else could have ended a wait is told
by what the tasks did before: those that have received from a full channel, or have sent to an empty one.
"""

import re
from typing import NamedTuple

from concmodels.trace.reading import Row, Trace

_NAMED = re.compile(r"(?:^waits for the result of |, which )(.+?)(?: holds)?$")
"""The task that a line of the report names: one that holds a lock, or has a result."""
_OTHER_END = {"send": "receive", "receive": "send", "join": "", "result": ""}


class Stuck(NamedTuple):
    """A task that could not go on: since when, what it waits for, and the lanes of those that could end that."""

    lane: int
    begin: int
    what: str
    waits_for: list[int]


def stuck(trace: Trace) -> list[Stuck]:
    """Return the tasks that could not go on, in the order of the report; none if the run ended in no deadlock."""
    found = []
    lanes = {lane.name: number for number, lane in reversed(trace.lanes.items())}
    for line in trace.waits:
        name, _, rest = line.partition(": ")
        what = rest.rpartition(" at ")[0] or rest
        if name in lanes:
            number = lanes.pop(name)
            last = _last_wait(trace, number)
            begin = trace.lanes[number].end if last is None else last.begin
            found.append(Stuck(number, begin, what, sorted(_others(what, number, last, trace) - {number})))
    return found


def wait_in_words(it: Stuck, trace: Trace) -> str:
    """Return in words what a task waits for."""
    others = " or ".join(trace.name(other) for other in it.waits_for)
    more = f", so for {others}" if others and not _NAMED.search(it.what) else ""
    if not others and it.what.startswith(("send", "receive")):
        more = ", where no other task has been"
    return f"{trace.name(it.lane)}: {it.what}{more}"


def _last_wait(trace: Trace, lane: int) -> Row | None:
    """Return the last operation of a task, which was in vain; a group is left even so."""
    rows = (row for row in reversed(trace.lanes[lane].rows) if row.what in _OTHER_END)
    return next((row for row in rows if row.what == "join" or row.failed in ("error", "cancelled")), None)


def _others(what: str, lane: int, last: Row | None, trace: Trace) -> set[int]:
    """Return the lanes of the tasks that could have ended this wait."""
    if named := _NAMED.search(what):
        return {number for number, it in trace.lanes.items() if it.name == named[1]}
    if last is None:
        return set()
    if last.what == "join":
        return {it.number for it in trace.lanes.values() if it.parent == lane and it.end >= last.begin}
    if last.what == "result":
        return {last.number} & trace.lanes.keys()
    return {it.lane for it in trace.rows() if it.channel == last.channel and it.what == _OTHER_END[last.what]}
