"""Writes a trace as one file: Chrome Trace Event JSON, which Perfetto and the pictures of this package read.

The file is one JSON object with three members, in this order:

    "otherData"        what is known of the run as a whole: see below
    "displayTimeUnit"  "ns"
    "traceEvents"      a list of events, one a line: first the metadata, then the events in the order of their `ts`

Every event has `ph` (its kind), `name`, `pid` (the process or interpreter, numbered from 1) and `tid` (the lane,
numbered from 1: what one task did; a number occurs in one process only). All others than metadata have `ts`, and slices
have `dur`: both in microseconds since the start of the run, with up to three decimals, so they are exact to the
nanosecond. Where `otherData.unit` is "step", one microsecond stands for one step of a schedule.

Metadata, `ph` "M":

    process_name       args: name
    thread_name        args: name, the task's
    thread_sort_index  args: sort_index, the lane's number

Slices, `ph` "X". The slices of one lane follow each other or lie in each other (what a pool's task does lies in its
`work`), and never overlap otherwise. Perfetto shows slices of one `cat` alike:

    name          cat      args.what
    send C        send     send        on channel C; lasts as long as the channel was full
    wait C        wait     wait        the time until a receive had its item
    receive C     receive  receive     at most 0.1 us, from the moment when the item was there; after its `wait`
    select        wait     select      a select that has done no case (closed, failed); else it is a send or a receive
    sleep         wait     sleep
    result        wait     result      a wait for the result of a task, `number` is its lane
    call          wait     call        a wait for the result of a pool's task; `number` is that of its `submit`
    join          wait     join        a wait at the end of a task group for its tasks
    socket        wait     socket      a wait for a socket
    work          work     work        a pool's worker has done a task; `number` is that of its `submit`
    ...           step     step        one step of a schedule (of `explore`), as long as one step; `text` says what it
                                       does, as `name` does; `place` where, `line` is the source there; `forced` is
                                       true if the schedule has forced a switch to this task

A send or receive that has failed has the `cat` "failed" and no arrow; a receive is then one slice. A `wait` is no
operation of its own: its receive begins when it does, and `begin` and `end` of both say so.

Marks, `ph` "i" with `s` "t", `cat` "mark". Their `name` is `args.what`, and of those of a channel it has that, too:

    start         the lane begins
    end           the lane ends
    spawn         it starts a task; `number` is the lane of that
    close C       it closes a channel
    cancel        it cancels a task, whose lane `number` is, or with 0 a group
    error         its task ends with an exception; `failed` says which kind
    submit        it gives a task to a pool; `number` counts those of the run
    begin         a pool's worker begins that task; without a `work` of this number the worker was killed in it
    killed        the last that is known of a lane that did not end

Each slice and each mark has `args`:

    what, channel, number    as above; `channel` is a key of `otherData.channels`, as a number, or 0 for none. Of a
                             send and a receive `number` is the message's, which is the same for both and unique in its
                             channel. If `every` is 1, messages are numbered from 0 in the order in which they were
                             received; where the channel is bounded to n, the message `number` could be sent because
                             the message `number - n` had been received
    begin, end               when the operation began and ended, in ns since the start of the run (steps times 1,000)
    failed                   null, or "timeout", "closed", "cancelled", "error": then nothing was done

Arrows: `ph` "s" at the start of a send's slice, and `ph` "f" with `bp` "e" at the start of a receive's slice. Both have
`name` and `cat` "message" and the same `id`, a number of their own. There is an arrow for each message both of whose
ends are in the file, and no arrow goes back in time.

`otherData`:

    format        "concmodels trace 1"
    program       how it was run, for a title: "concmodels.ring 5 4 --model threads", or ""
    model         "threads"
    python        "3.14.8"
    clock         "perf_counter_ns"; "virtual" (sim: its own time, with 1 us at least between two events); "step"
    unit          "ns" or "step"
    cpus          how many CPUs the run could use
    every         1 if each message is in the file; else only those whose number is divisible by it. The counts below
                  are complete, and so is all else, unless `notes` says what is missing
    ended         how the run has ended: null if well, else one sentence ("Deadlock: ...", "KeyboardInterrupt")
    waits         of a deadlock: a line for each task, which says what it waits for and where
    cut           true if the disk was full, or Ctrl-C came, before all events were written: the first ones are there
    notes         a list of sentences about what the file lacks: a task that was killed, a lane without space
    channels      by number, as text: {"name", "capacity" (null: unbounded), "sent", "received"}, the last two counted
    lanes         by number, as text: {"name", "parent" (the lane that has spawned it, or null), "pid", "cpu_ns" (how
                  long it has computed; null: not known), "ended" (false: killed, or it ran on when this was written)}
"""

import errno
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, BinaryIO

from concmodels.trace.rows import FAILURES, RECEIVE, SEND, WHAT, Row

_WAITS = frozenset({"select", "sleep", "result", "call", "join", "socket"})
_RECEIVE_NS = 100


@dataclass
class LaneFacts:
    """One lane, as the file has it."""

    number: int
    name: str
    rows: list[Row]
    pid: int = 1
    parent: int | None = None
    cpu_ns: int | None = None
    ended: bool = True
    killed: bool = False


@dataclass
class ChannelFacts:
    """One channel, as the file has it."""

    name: str
    capacity: float
    sent: int = 0
    received: int = 0
    positioned: bool = False
    """Whether the number of a message is its position in the channel."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON can have it."""
        capacity = None if self.capacity == float("inf") else int(self.capacity)
        return {"name": self.name, "capacity": capacity, "sent": self.sent, "received": self.received}


@dataclass
class Recording:
    """All that a file contains. The lanes are in the order of their numbers."""

    lanes: list[LaneFacts]
    channels: dict[int, ChannelFacts]
    processes: dict[int, str] = field(default_factory=lambda: {1: "main"})
    model: str = ""
    program: str = ""
    clock: str = "perf_counter_ns"
    every: int = 1
    ended: str | None = None
    waits: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    origin: int = 0
    steps: list[dict[str, Any]] = field(default_factory=list)
    """Events of another kind than rows: the steps of a schedule."""

    def about(self) -> dict[str, Any]:
        """Return what `otherData` contains."""
        return {
            "format": "concmodels trace 1",
            "cut": False,
            "program": self.program,
            "model": self.model,
            "python": sys.version.split()[0],
            "clock": self.clock,
            "unit": "step" if self.clock == "step" else "ns",
            "cpus": os.process_cpu_count(),
            "every": self.every,
            "ended": self.ended,
            "waits": self.waits,
            "notes": self.notes,
            "channels": {str(number): it.to_json() for number, it in self.channels.items()},
            "lanes": {
                str(it.number): {
                    "name": it.name, "parent": it.parent, "pid": it.pid, "cpu_ns": it.cpu_ns, "ended": it.ended,
                }
                for it in self.lanes
            },
        }  # fmt: skip


def metadata(recording: Recording) -> Iterator[dict[str, Any]]:
    """Yield the events that name processes and lanes."""
    first: dict[int, int] = {}
    for lane in recording.lanes:
        first.setdefault(lane.pid, lane.number)
    for pid, name in recording.processes.items():
        if pid in first:
            yield {"ph": "M", "name": "process_name", "pid": pid, "tid": first[pid], "args": {"name": name}}
    for lane in recording.lanes:
        here = {"pid": lane.pid, "tid": lane.number}
        yield {"ph": "M", "name": "thread_name", **here, "args": {"name": lane.name}}
        yield {"ph": "M", "name": "thread_sort_index", **here, "args": {"sort_index": lane.number}}


def events(recording: Recording) -> list[dict[str, Any]]:
    """Return the events that have a time, in its order."""
    arrows = _arrows(recording.lanes)
    found = list(recording.steps)
    for lane in recording.lanes:
        rows = sorted(lane.rows, key=lambda row: (row[0], -row[1]))
        for row, at, last in _placed(rows):
            found += _events_of(row, at, last, lane, recording, arrows)
        if lane.killed:
            now = max((row[1] for row in rows), default=recording.origin)
            found += _events_of((now, now, len(WHAT), 0), now, now, lane, recording, arrows)
    back = _backward(found)
    if back:
        recording.notes.append(f"{len(back)} arrows would go back in time, and are left out")
    found = [event for event in found if event["ph"] not in "sf" or event["id"] not in back]
    found.sort(key=lambda event: (event["ts"], event["ph"] in "sf"))
    return found


def _placed(rows: Sequence[Row]) -> Iterator[tuple[Row, int, int]]:
    """Yield each row with the time at which its slice begins, and until when the slice of a receive may last.

    Slices lie in each other or follow each other, as what a task does one after the other. Only if the program has
    several tasks of its own in one lane (by `asyncio.gather`) does one begin where another ends.
    """
    open_until: list[int] = []
    for row, following in zip_longest(rows, rows[1:]):
        at, end = row[:2]
        while open_until and open_until[-1] <= at:
            open_until.pop()
        while open_until and open_until[-1] < end:
            at = open_until.pop()
        last = end + _RECEIVE_NS
        if following is not None:
            last = min(last, following[0])
        if open_until:
            last = min(last, open_until[-1])
        last = max(last, end)
        yield row, at, last
        if row[1] > row[0]:
            open_until.append(last if row[2] & 255 == RECEIVE else end)


def _backward(found: Iterable[dict[str, Any]]) -> set[int]:
    """Return the arrows that would go back in time, because a slice of theirs was moved."""
    begun = {event["id"]: event["ts"] for event in found if event["ph"] == "s"}
    return {event["id"] for event in found if event["ph"] == "f" and event["ts"] < begun[event["id"]]}


def _arrows(lanes: Iterable[LaneFacts]) -> dict[tuple[int, int], int]:
    """Return the number of the arrow of each message, by its channel and number, both of whose ends are there."""
    sent, received = set(), set()
    for lane in lanes:
        for _, _, word, number in lane.rows:
            if not word >> 8 & 255:
                if word & 255 == SEND:
                    sent.add((word >> 16, number))
                elif word & 255 == RECEIVE:
                    received.add((word >> 16, number))
    return {message: number for number, message in enumerate(sorted(sent & received), 1)}


def _events_of(
    row: Row, at: int, last: int, lane: LaneFacts, recording: Recording, arrows: dict[tuple[int, int], int]
) -> Iterator[dict[str, Any]]:
    """Yield the events of one row; `at` and `last` are what `_placed` says."""
    at, last = at - recording.origin, last - recording.origin
    begin, end, word, number = row[0] - recording.origin, row[1] - recording.origin, row[2], row[3]
    what = "killed" if word & 255 == len(WHAT) else WHAT[word & 255]
    channel, failed = word >> 16, FAILURES[word >> 8 & 255]
    here = {"pid": lane.pid, "tid": lane.number}
    args = {"what": what, "channel": channel, "number": number, "begin": begin, "end": end, "failed": failed}
    on = f" {recording.channels[channel].name}" if channel in recording.channels else ""
    arrow = None if failed else arrows.get((channel, number))
    message = {"name": "message", "cat": "message", "id": arrow, **here}
    if what == "send":
        yield _slice(f"send{on}", "failed" if failed else "send", at, end, here, args)
        if arrow:
            yield {"ph": "s", "ts": at / 1e3, **message}
    elif what == "receive" and not failed:
        if end > at:
            yield _slice(f"wait{on}", "wait", at, end, here, {**args, "what": "wait"})
        yield _slice(f"receive{on}", "receive", end, last, here, args)
        if arrow:
            yield {"ph": "f", "bp": "e", "ts": end / 1e3, **message}
    elif what in _WAITS or what in ("work", "receive"):
        category = "wait" if what in _WAITS else "failed" if what == "receive" else "work"
        yield _slice(f"{what}{on}", category, at, end, here, args)
    else:
        yield {"ph": "i", "s": "t", "ts": begin / 1e3, "name": f"{what}{on}", "cat": "mark", **here, "args": args}


def _slice(name: str, category: str, begin: int, end: int, here: dict[str, int], args: Any) -> dict[str, Any]:
    times = {"ts": begin / 1e3, "dur": (end - begin) / 1e3}
    return {"ph": "X", **times, "name": name, "cat": category, **here, "args": args}


# The file. Its end is what is missing if the disk is full, so it is written such that it can be closed anywhere.

_CUT, _NOT_CUT = b'"cut":true ', b'"cut":false'
_END = b"\n]}\n"
_ENCODE: Callable[[Any], str] = json.JSONEncoder(separators=(",", ":")).encode


def write(file: BinaryIO, recording: Recording) -> None:
    """Write a file, which can be sought. If the disk is full (`OSError`), or on Ctrl-C, it is closed where it ends."""
    lines = [_ENCODE(event).encode() for event in (*metadata(recording), *events(recording))]
    about = _ENCODE(recording.about()).encode()  # after the events, which may leave a note
    head = b'{"otherData":' + about + b',\n"displayTimeUnit":"ns",\n"traceEvents":[\n'
    file.seek(0)
    try:
        _write_all(file, head + b",\n".join(lines) + _END)
        file.truncate()
    except (OSError, KeyboardInterrupt) as error:
        if isinstance(error, KeyboardInterrupt) or error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            _close_early(file, head, lines)
        raise


def _write_all(file: BinaryIO, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def _close_early(file: BinaryIO, head: bytes, lines: Sequence[bytes]) -> None:
    """Cut the file behind the last event that fits with what closes it, and note that at its beginning."""
    there = os.fstat(file.fileno()).st_size
    size = len(head)
    if size + len(_END) > there:
        file.truncate(0)
        return
    fits = size
    for number, line in enumerate(lines):
        size += len(line) + (2 if number else 0)
        if size + len(_END) > there:
            break
        fits = size
    file.seek(fits)
    _write_all(file, _END)
    file.truncate()
    file.seek(head.index(_NOT_CUT))
    _write_all(file, _CUT)
