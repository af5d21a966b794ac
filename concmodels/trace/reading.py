"""Reads a trace: from the file back to lanes, channels and messages.

    file (Chrome Trace Event JSON)  ->  Trace: lanes, each with its rows; channels; messages, each sent and received

Perfetto reads the same file. What it draws are slices; what was recorded is in the `args` of each event, and that is
what is read here. So a receive that waited is one row again, although the file has two slices for it. `chrome.py`
describes the file.
"""

import gzip
import json
import math
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

_NOT_SHOWN = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufffe\\uffff]")
"""What neither a terminal nor a picture can show; in names it is possible."""


class Unreadable(ValueError):
    """The file is not a trace of this library; the message is one sentence for the user."""


class Row(NamedTuple):
    """An operation of a task: from when until when, in nanoseconds since the run began, and on what."""

    lane: int
    what: str
    begin: int
    end: int
    channel: int = 0
    number: int = 0
    """The number of the message in its channel; of a spawn, a result or a cancellation the lane of the other task."""
    failed: str | None = None
    """How the operation has failed: "timeout", "closed", "cancelled", "error"."""
    line: str = ""
    """Of a step of a schedule: the line of the program, and its place."""
    place: str = ""
    is_forced: bool = False


class Channel(NamedTuple):
    """A channel of the program."""

    name: str
    capacity: float


@dataclass(slots=True)
class Message:
    """A message of a channel: how it was sent, and how it was received, as far as the trace has either."""

    sent: Row | None = None
    received: Row | None = None


@dataclass(slots=True)
class Lane:
    """All that one task has done, from its start to its end. Its rows are in the order in which they began."""

    number: int
    name: str
    rows: list[Row]
    parent: int | None = None
    cpu_ns: int | None = None
    has_ended: bool = True
    """Whether the task came to its end: not if it was killed, or was still running when the trace was written."""
    begin: int = 0
    end: int = 0

    def __post_init__(self) -> None:
        self.rows.sort(key=lambda row: (row.begin, row.end))
        self.begin = self.rows[0].begin
        self.end = max(row.end for row in self.rows)


@dataclass
class Trace:
    """A run: its lanes by number, in the order of the file, its channels, and its messages by channel and number."""

    lanes: dict[int, Lane]
    channels: dict[int, Channel]
    counts: dict[int, tuple[int, int]] = field(default_factory=dict)
    """How many messages of each channel were sent and received, with those that are not in the trace."""
    every: int = 1
    """If a long run was thinned out, only messages whose number is divisible by this are in the trace."""
    ended: str | None = None
    """How the run has ended, if not well: one sentence."""
    waits: tuple[str, ...] = ()
    """Of a deadlock: a line for each task, which says what it waits for and where."""
    program: str = ""
    model: str = ""
    notes: tuple[str, ...] = ()
    """Sentences about what the trace lacks."""
    cpus: int | None = None
    is_schedule: bool = False
    """Whether this is a schedule: its time is the step, of 1,000 "nanoseconds"."""
    messages: dict[tuple[int, int], Message] = field(default_factory=dict)
    spawns: dict[int, Row] = field(default_factory=dict)
    """The row in which a lane was spawned, by the number of that lane."""

    def __post_init__(self) -> None:
        for row in self.rows():
            if row.what == "spawn" and row.number in self.lanes:
                self.spawns[row.number] = row
            elif row.failed is None and row.what == "send":
                self.messages.setdefault((row.channel, row.number), Message()).sent = row
            elif row.failed is None and row.what == "receive":
                self.messages.setdefault((row.channel, row.number), Message()).received = row
        self.sent = sum(sent for sent, _ in self.counts.values())
        self.received = sum(received for _, received in self.counts.values())
        self.begin = min(lane.begin for lane in self.lanes.values())
        self.end = max(lane.end for lane in self.lanes.values())

    def rows(self) -> Iterator[Row]:
        """Yield the rows of all lanes, one lane after the other."""
        for lane in self.lanes.values():
            yield from lane.rows

    def arrived(self) -> Iterator[tuple[Row, Row]]:
        """Yield how it was sent and how it was received, for each message that the trace has both of."""
        for message in self.messages.values():
            if message.sent is not None and message.received is not None:
                yield message.sent, message.received

    def name(self, lane: int) -> str:
        """Return the name of the task of a lane."""
        return self.lanes[lane].name if lane in self.lanes else f"task {lane}"

    def channel(self, number: int) -> Channel:
        """Return a channel; one that the file doesn't describe is unbounded."""
        return self.channels.get(number, Channel("a channel", math.inf))


def read(path: str) -> Trace:
    """Read a trace from a file, which may be compressed with gzip. Raises `Unreadable`."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        if not data:
            raise Unreadable(f"{path!r} is empty: its run goes on, or was killed before it could write the trace")
        content = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    except (OSError, EOFError, zlib.error) as error:
        raise Unreadable(f"can't read {path!r}: {getattr(error, 'strerror', None) or error}") from None
    except Unreadable:
        raise
    except ValueError, RecursionError:
        raise Unreadable(f"{path!r} is not a trace: it is not JSON; --trace FILE of a program writes one") from None
    try:
        return of_content(content)
    except Unreadable as error:
        raise Unreadable(f"{path!r} is a trace without a task: {error}") from None
    except TypeError, KeyError, ValueError, AttributeError, IndexError, OverflowError:
        raise Unreadable(
            f"{path!r} was not written by concmodels: Perfetto may show it; --trace FILE of a program writes a trace"
        ) from None


def of_content(content: dict[str, Any]) -> Trace:
    """Make a trace of the content of such a file. Raises `KeyError`, `TypeError` or `ValueError` for any other, and
    `Unreadable` for one in which no task is."""
    about = content["otherData"]
    if not about["format"].startswith("concmodels trace "):
        raise ValueError("another program's file")
    rows: dict[int, list[Row]] = {int(number): [] for number in about["lanes"]}
    for event in content["traceEvents"]:
        if event["ph"] in "Xi" and event["args"]["what"] != "wait":
            rows[event["tid"]].append(_row(event["tid"], event["args"]))
    lanes = {number: _lane(number, about["lanes"][str(number)], rows[number]) for number in rows if rows[number]}
    channels = {int(number): _channel(it) for number, it in about["channels"].items()}
    if not lanes:
        raise Unreadable("nothing ran while it was recorded")
    return Trace(
        lanes,
        channels,
        {int(number): (int(it["sent"]), int(it["received"])) for number, it in about["channels"].items()},
        every=int(about["every"]),
        ended=about["ended"] and _shown(about["ended"]),
        waits=tuple(map(_shown, about["waits"])),
        program=_shown(about["program"]),
        model=_shown(about["model"]),
        notes=tuple(map(_shown, about["notes"])),
        cpus=about["cpus"],
        is_schedule=about["unit"] == "step",
    )


def _row(lane: int, it: dict[str, Any]) -> Row:
    place, line = _shown(it.get("place", "")), _shown(it.get("line", ""))
    return Row(lane, it["what"], int(it["begin"]), int(it["end"]), int(it["channel"]), int(it["number"]), it["failed"],
               line, place, bool(it.get("forced")))  # fmt: skip


def _lane(number: int, it: dict[str, Any], rows: list[Row]) -> Lane:
    cpu = None if it["cpu_ns"] is None else int(it["cpu_ns"])
    return Lane(number, _shown(it["name"]), rows, it["parent"], cpu, bool(it["ended"]))


def _channel(it: dict[str, Any]) -> Channel:
    return Channel(_shown(it["name"]) or "a channel", math.inf if it["capacity"] is None else float(it["capacity"]))


def _shown(text: str) -> str:
    """Return a text with U+FFFD for what can't be shown."""
    return _NOT_SHOWN.sub("\ufffd", text)
