"""Who ended each wait of a run.

A task *waits* while another one has to act first: to send the message that it receives, to make room in the channel to
which it sends, to end, or to give work to a pool. The cause of a wait is what the other task did. An operation for
which nobody had to act is no wait: the task had what it needed at once, however long its turn took to come.
"""

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from concmodels.trace.reading import Lane, Row, Trace

RUNNING, WAITING, FULL, ASLEEP = "running", "waiting", "full", "asleep"
"""What a task does: it runs (or could run), waits for another one, is blocked on a full channel, or sleeps."""

STATES = (RUNNING, WAITING, FULL, ASLEEP)
_STATE_IN = {
    "receive": WAITING, "select": WAITING, "result": WAITING, "call": WAITING, "join": WAITING, "socket": WAITING,
    "send": FULL, "sleep": ASLEEP,
}  # fmt: skip


class Cause(NamedTuple):
    """An act that ended a wait: the task, the moment in which it acted, and what it did."""

    lane: int
    at: int
    did: str


class Wait(NamedTuple):
    """A time in which a task didn't run, and what ended it; None if no task of the run did."""

    row: Row
    state: str
    cause: Cause | None

    @property
    def length(self) -> int:
        """Nanoseconds."""
        return self.row.end - self.row.begin


class Causes:
    """Finds the waits of a run, and their causes."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._receives: dict[int, tuple[list[int], list[Row]]] = {}
        self._submits = {row.number: row for row in trace.rows() if row.what == "submit"}
        self._works = {row.number: row for row in trace.rows() if row.what == "work"}
        self._closes: dict[int, list[Row]] = defaultdict(list)
        self._note_receives()

    def waits(self, lane: Lane) -> Iterator[Wait]:
        """Yield the waits of a task; none begins before the one before it has ended."""
        at = lane.begin
        idle_since: int | None = None
        is_worker = any(row.what == "work" for row in lane.rows)
        if is_worker:
            idle_since = at
        for row in lane.rows:
            if row.what == "work":
                if idle_since is not None:
                    yield from self._idle(lane, max(idle_since, at), row)
                at, idle_since = max(at, row.begin), row.end
                continue
            state = _STATE_IN.get(row.what)
            if state is None or row.end <= max(at, row.begin):
                continue
            cause = self._cause(row)
            if cause is not None or row.what not in ("send", "receive") or row.failed is not None:
                yield Wait(row._replace(begin=max(at, row.begin)), state, cause)
                at = row.end
        if idle_since is not None and lane.end > max(idle_since, at):
            yield Wait(Row(lane.number, "idle", max(idle_since, at), lane.end), WAITING, None)

    def _idle(self, lane: Lane, begin: int, work: Row) -> Iterator[Wait]:
        """Yield the wait of a pool's worker for its next task, if that was not there yet."""
        submit = self._submits.get(work.number)
        if submit is not None and begin < submit.begin < work.begin:
            yield Wait(
                Row(lane.number, "idle", begin, work.begin), WAITING, Cause(submit.lane, submit.begin, "submitted")
            )

    def _cause(self, row: Row) -> Cause | None:
        """Return what ended this wait; None if no other task had to act, or if it was in vain."""
        if row.failed is not None:
            return self._closed(row) if row.failed == "closed" else None
        if row.what == "receive":
            sent = self._trace.messages[row.channel, row.number].sent
            return Cause(sent.lane, sent.begin, "sent") if sent and row.begin < sent.begin <= row.end else None
        if row.what == "send":
            return self._came_to_receive(row) if not self._capacity(row) else self._made_space(row)
        if row.what == "result" and (other := self._trace.lanes.get(row.number)) and row.begin < other.end <= row.end:
            return Cause(other.number, other.end, "ended")
        if row.what == "call" and (work := self._works.get(row.number)) and row.begin < work.end <= row.end:
            return Cause(work.lane, work.end, "did the task")
        return self._last_child(row) if row.what == "join" else None

    def _came_to_receive(self, row: Row) -> Cause | None:
        """Return who came to the rendezvous after the sender."""
        received = self._trace.messages[row.channel, row.number].received
        if received and row.begin < received.begin <= row.end:
            return Cause(received.lane, received.begin, "came to receive")
        return None

    def _made_space(self, row: Row) -> Cause | None:
        """Return who made space for a message after its sender had come.

        That was the receiver of the message so many before it; where the trace was thinned out, the last receiver
        before the send went on.
        """
        capacity = self._capacity(row)
        if capacity == math.inf:
            return None
        if self._trace.every == 1:
            before = self._trace.messages.get((row.channel, row.number - int(capacity)))
            received = before.received if before else None
        else:
            ends, rows = self._receives.get(row.channel, ([], []))
            last = bisect_right(ends, row.end) - 1
            received = rows[last] if last >= 0 else None
        if received is None or received.end <= row.begin:
            return None
        # the receiver may note its end only after it has woken the sender
        return Cause(received.lane, max(row.begin, min(received.end, row.end)), "made space")

    def _closed(self, row: Row) -> Cause | None:
        """Return who closed the channel on which a task waited."""
        for close in self._closes.get(row.channel, ()):
            if row.begin < close.begin <= row.end:
                return Cause(close.lane, close.begin, "closed it")
        return None

    def _last_child(self, row: Row) -> Cause | None:
        """Return which child of a task ended last during the wait for its group."""
        children = [it for it in self._trace.lanes.values() if it.parent == row.lane and row.begin < it.end <= row.end]
        last = max(children, key=lambda it: it.end, default=None)
        return Cause(last.number, last.end, "ended") if last else None

    def _capacity(self, row: Row) -> float:
        return self._trace.channel(row.channel).capacity

    def _note_receives(self) -> None:
        """Note who received from each channel, in the order in which that ended, and who closed it."""
        found: dict[int, list[Row]] = defaultdict(list)
        for row in self._trace.rows():
            if row.what == "receive" and row.failed is None:
                found[row.channel].append(row)
            elif row.what == "close":
                self._closes[row.channel].append(row)
        for channel, rows in found.items():
            rows.sort(key=lambda row: row.end)
            self._receives[channel] = ([row.end for row in rows], rows)
