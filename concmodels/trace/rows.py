"""Rows: what a task did, one row for each operation, in the lane of that task.

    row    (begin, end, word, number): nanoseconds; what was done, whether it failed, on which channel; which message
    word   what | failure << 8 | channel << 16

A lane belongs to one task, which alone writes it. So it needs no lock, no flush and no merge. In the process that
writes the file a lane is a list. In other processes and interpreters it is a file that is mapped into memory, with rows
of 32 bytes: what was written there stays when the process is killed. Its disk space is taken when it is made, so a full
disk is an error there, and not a crash in a store later.

A lane that is full thins itself out. Of the messages it keeps those whose number is divisible by 2, then by 4, by 8,
and so on: sender and receiver decide by the same number, so that an arrow has both its ends or none. Of all else it
keeps the first and the last, and `has_gap` says so.

Children import this module to write their lanes, so it imports next to nothing.
"""

import os
from _struct import Struct
from itertools import chain
from time import perf_counter_ns, thread_time_ns

from concmodels.errors import ChannelClosed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

type Row = tuple[int, int, int, int]
"""Begin, end, word, number."""

WHAT = (
    "", "start", "end", "spawn", "send", "receive", "select", "sleep", "result", "call", "join", "socket", "close",
    "cancel", "error", "submit", "begin", "work",
)  # fmt: skip
(
    _, START, END, SPAWN, SEND, RECEIVE, SELECT, SLEEP, RESULT, CALL, JOIN, SOCKET, CLOSE, CANCEL, ERROR, SUBMIT,
    BEGIN, WORK,
) = range(len(WHAT))  # fmt: skip

FAILURES = (None, "timeout", "closed", "cancelled", "error")
_TIMEOUT, _CLOSED, _CANCELLED, _ERROR = (1 << 8, 2 << 8, 3 << 8, 4 << 8)
_NUMBERED = frozenset({SEND, RECEIVE, SUBMIT, BEGIN, WORK, CALL})
"""What there is with the same number on both sides."""

ROWS = 60_000
"""How many rows the lanes of a trace have in all, or somewhat more: 20 MB as JSON."""
_FEWEST = 32

_ROW = Struct("<qqqq")
_pack_into = _ROW.pack_into
_HEADER = 256


def failure(error: BaseException) -> int:
    """Return how an operation has failed, as the bits of a word."""
    if isinstance(error, TimeoutError):
        return _TIMEOUT
    if isinstance(error, ChannelClosed):
        return _CLOSED
    return _ERROR if isinstance(error, (Exception, KeyboardInterrupt)) else _CANCELLED


def share_of(rows: int, number: int) -> int:
    """Return how many rows the lane with this number gets: fewer, the more lanes there are before it."""
    return max(_FEWEST, rows // max(8, 1 << number.bit_length()))


class Lane:
    """The rows of one task of this process."""

    __slots__ = (
        "cpu", "ended", "full", "has_gap", "is_worker", "made", "mask", "name", "number", "rows", "seconds", "shared",
        "write",
    )  # fmt: skip

    def __init__(
        self, number: int, name: str, most: int, clock: Callable[[], int], shared: list[int] | None = None
    ) -> None:
        self.number, self.name = number, name
        self.shared = [0] if shared is None else shared
        """The mask of all lanes of this process: a message that one lane leaves out is of no use to the others."""
        self.rows: list[int] = []
        """All rows, one after the other: a list of tuples would take longer, and the garbage collector much longer."""
        self.write: Callable[[Row], object] = self.rows.extend
        """Write a row; what runs for each message does without `row`, and looks itself whether `rows` is full."""
        self.full = 4 * most
        self.mask = 0
        """A message is kept if its number has none of these bits."""
        self.made = 0
        """The number of channels that the task has made."""
        self.ended = self.is_worker = self.has_gap = False
        self.cpu: int | None = None
        self.seconds = thread_time_ns()
        self.mark(clock(), START)

    def mark(self, at: int, word: int, number: int = 0) -> None:
        """Write a row for what takes no time."""
        self.row(at, at, word, number)

    def row(self, begin: int, end: int, word: int, number: int = 0) -> None:
        """Write a row; make room if the lane is full."""
        self.write((begin, end, word, number))
        if len(self.rows) >= self.full:
            self.thin()

    def thin(self) -> None:
        """Make room."""
        self.rows[:] = chain.from_iterable(self.kept_of(rows_of(self.rows)))
        self.shared[0] = max(self.shared[0], self.mask)

    def kept_of(self, rows: list[Row]) -> list[Row]:
        """Return which of these rows stay: seven eighths at most of what the lane has space for."""
        most = self.full // 4
        self.mask = max(self.mask, self.shared[0])
        kept = kept_by(self.mask, rows)
        while sum(is_message(row) and row[3] > 0 for row in kept) > most // 2:
            self.mask = self.mask << 1 | 1
            kept = kept_by(self.mask, kept)
        kept = self._without_middle(kept, [place for place, row in enumerate(kept) if not is_message(row)])
        if len(kept) > most * 7 // 8:  # each of very many channels has a message 0, which no mask leaves out
            kept = self._without_middle(kept, [place for place, row in enumerate(kept) if not row[3]])
        return kept

    def _without_middle(self, rows: list[Row], places: list[int]) -> list[Row]:
        """Return the rows, but of those at these places only the first and the last."""
        few = self.full // 4 * 3 // 16
        if len(places) <= 2 * few:
            return rows
        self.has_gap = True
        left_out = {*places[few:-few]}
        return [row for place, row in enumerate(rows) if place not in left_out]

    def works(self) -> None:
        """Note that it is the lane of a pool's worker, of which nobody says when it ends."""
        self.is_worker = True

    def over(self, at: int) -> None:
        """Write that the task has ended."""
        self.cpu = thread_time_ns() - self.seconds
        self.ended = True
        self.mark(at, END)


def rows_of(numbers: list[int]) -> list[Row]:
    """Return the rows that lie one after the other in a list."""
    return list(zip(*[iter(numbers)] * 4, strict=True))


def is_message(row: Row) -> bool:
    """Return whether there is a row with the same number on the other side; a message that failed has no number."""
    return row[2] & 255 in _NUMBERED and not (row[2] >> 8 & 255 and not row[3])


def kept_by(mask: int, rows: list[Row]) -> list[Row]:
    """Return the rows without the messages that this mask leaves out."""
    return [row for row in rows if not row[3] & mask or row[2] & 255 not in _NUMBERED]


class MappedLane(Lane):
    """The rows of one task of another process or interpreter: they lie in a file, which outlives the process."""

    __slots__ = ("_at", "_end", "_map")

    def __init__(self, path: str, number: int, name: str, most: int) -> None:
        from mmap import mmap

        self._at, self._end = _HEADER, _HEADER + _ROW.size * most
        fd = os.open(path, os.O_RDWR | os.O_CREAT)
        try:
            _fill(fd, self._end)
            self._map = mmap(fd, self._end)
        finally:
            os.close(fd)
        super().__init__(number, name, most, perf_counter_ns)
        self.write = self._put
        self.head()

    def head(self) -> None:
        """Write what is known of the lane as a whole."""
        flags = self.ended | self.is_worker << 1 | self.has_gap << 2 | _interpreter() << 3
        fields = (self.mask, os.getpid(), -1 if self.cpu is None else self.cpu, flags)
        text = self.name.encode(errors="replace")[: _HEADER - _ROW.size]
        self._map[:_HEADER] = (_ROW.pack(*fields) + text).ljust(_HEADER, b"\0")

    def row(self, begin: int, end: int, word: int, number: int = 0) -> None:
        """As `Lane.row`."""
        at = self._at
        _pack_into(self._map, at, begin, end, word, number)
        self._at = at = at + 32
        if at == self._end:
            self._make_room()

    def _put(self, row: Row) -> None:
        self.row(*row)

    def _make_room(self) -> None:
        data = b"".join([_ROW.pack(*row) for row in self.kept_of(_rows_in(self._map))])
        self.head()
        self._map[_HEADER:] = data.ljust(self._end - _HEADER, b"\0")
        self._at = _HEADER + len(data)

    def works(self) -> None:
        """As `Lane.works`."""
        super().works()
        self.head()

    def over(self, at: int) -> None:
        """As `Lane.over`."""
        super().over(at)
        self.head()


def _fill(fd: int, size: int) -> None:
    """Write so many zeros: the space on the disk is then taken. Raises `OSError` if there is not enough."""
    rest = memoryview(bytes(size))
    while rest:
        rest = rest[os.write(fd, rest) :]


def _rows_in(data: Any) -> list[Row]:
    """Return the rows that were written into a file of a lane."""
    rows: list[Row] = []
    for row in _ROW.iter_unpack(data[_HEADER:]):
        if not row[0]:
            break
        rows.append(row)
    return rows


class LostLane(Lane):
    """The lane of a task for which there was no space: the task runs, and nothing of it is kept."""

    __slots__ = ()

    def __init__(self, number: int, name: str) -> None:
        super().__init__(number, name, _FEWEST, perf_counter_ns)
        self.write = bool
        self.rows.clear()


def _interpreter() -> int:
    """Return the number of the interpreter that runs this; 0 is the main one."""
    try:
        import _interpreters
    except ImportError:  # this Python was built without them
        return 0
    return int(_interpreters.get_current()[0])


def read_lane(path: str, number: int) -> tuple[Lane, int, int] | None:
    """Return the lane that a file has, its process and its interpreter; None if there is nothing in it."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) <= _HEADER or not any(data[:_HEADER]):
        return None
    mask, pid, cpu, flags = _ROW.unpack_from(data)
    name = data[_ROW.size : _HEADER].rstrip(b"\0").decode(errors="replace")
    lane = Lane(number, name, _FEWEST, perf_counter_ns)
    lane.rows[:] = chain.from_iterable(_rows_in(data))
    lane.mask, lane.ended, lane.is_worker, lane.has_gap = mask, bool(flags & 1), bool(flags & 2), bool(flags & 4)
    lane.cpu = None if cpu < 0 else cpu
    return lane, pid, flags >> 3
