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
    is_for_group: bool


def stuck(trace: Trace) -> list[Stuck]:
    """Return the tasks that could not go on, in the order of the report; none if the run ended in no deadlock."""
    reported: dict[int, str] = {}
    mains = [number for number, lane in trace.lanes.items() if lane.parent is None and lane.name == "main"]
    last_run = max(mains, default=0)  # there may have been others before it
    lanes = {lane.name: number for number, lane in reversed(trace.lanes.items()) if number >= last_run}
    for line in trace.waits:
        name, _, rest = line.partition(": ")
        if name in lanes:
            reported[lanes.pop(name)] = rest.rpartition(" at ")[0] or rest
    last = {number: _last_wait(trace, number) for number in reported}
    found = []
    for number, what in reported.items():
        row = last[number]
        others = _others(what, row, trace) - {number}
        if row is not None and row.what in ("send", "receive"):
            others = _who_could(others, last)
        begin = row.begin if row else trace.lanes[number].end
        found.append(Stuck(number, begin, what, sorted(others), row is not None and row.what == "join"))
    return found


def _who_could(others: set[int], last: dict[int, Row | None]) -> set[int]:
    """Return those of these tasks that have not ended, and that wait for more than the tasks that they started."""
    alive = others & last.keys()
    return {it for it in alive if (row := last[it]) is None or row.what != "join"} or alive


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


def _others(what: str, last: Row | None, trace: Trace) -> set[int]:
    """Return the lanes of the tasks that could have ended this wait.

    Of a channel with space for one item, as of a lock, it could be the one that has taken the item last.
    """
    if named := _NAMED.search(what):
        return {number for number, it in trace.lanes.items() if it.name == named[1]}
    if last is None:
        return set()
    if last.what == "join":
        return {it.number for it in trace.lanes.values() if it.parent == last.lane and it.end >= last.begin}
    if last.what == "result":
        return {last.number} & trace.lanes.keys()
    rows = [it for it in trace.rows() if it.channel == last.channel and it is not last]
    found = {it.lane for it in rows if it.what == _OTHER_END[last.what]}
    if last.what == "receive" and trace.channel(last.channel).capacity == 1:
        taken = [it for it in rows if it.what == "receive" and it.failed is None]
        found |= {max(taken, key=lambda it: it.end).lane} if taken else set()
    return found
