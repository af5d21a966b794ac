"""Which task waits for which, at the end of a run that ended in a deadlock.

A trace says what each task waits for. Who could have ended the wait is told by what the tasks did before: those that
have received from a full channel, or sent to an empty one.
"""

from typing import NamedTuple

from concmodels.trace.reading import Row, Trace


class Stuck(NamedTuple):
    """A task that could not go on: since when, what it waits for, and the lanes of those that could have ended that."""

    lane: int
    begin: int
    what: str
    waits_for: list[int]
    tip: str


def stuck(trace: Trace) -> list[Stuck]:
    """Return the tasks that could not go on; none if the run did not end in a deadlock."""
    if trace.is_schedule or not (trace.ended or "").startswith("Deadlock"):
        return []
    found = []
    for lane in trace.lanes.values():
        last = next((row for row in reversed(lane.rows) if row.what in _OTHER_END and _in_vain(row)), None)
        if last is not None:
            found.append(_stuck(last, trace))
    return found


_OTHER_END = {"send": "receive", "receive": "send", "result": "", "join": "", "select": ""}


def _in_vain(row: Row) -> bool:
    return row.failed in ("error", "cancelled")


def _stuck(row: Row, trace: Trace) -> Stuck:
    name = trace.name(row.lane)
    if row.what == "result":
        others = [row.number] if row.number in trace.lanes else []
        return Stuck(row.lane, row.begin, f"result of {trace.name(row.number)}", others, f"{name} waits for")
    if row.what == "join":
        others = [it.number for it in trace.lanes.values() if it.parent == row.lane and it.end >= row.begin]
        return Stuck(row.lane, row.begin, "its group", others, f"{name} waits for")
    if row.what == "select":
        return Stuck(row.lane, row.begin, "select", [], f"{name} waits for")
    channel = trace.channel(row.channel).name
    other_end = [it for it in trace.rows() if it.channel == row.channel and it.what == _OTHER_END[row.what]]
    others = sorted({it.lane for it in other_end} - {row.lane})
    verb = "sends to" if row.what == "send" else "receives from"
    return Stuck(row.lane, row.begin, f"{verb} {channel}", others, f"{name} {verb} {channel}, and waits for")
