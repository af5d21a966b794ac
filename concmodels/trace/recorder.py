"""Where the rows of a run are kept: in the process that writes the file, and in the others that the run starts.

A `Recorder` gives lanes to tasks and numbers to channels. In the process that writes the file it has the lanes itself.
It travels to other processes and interpreters as the path of a folder, where the lanes of these lie as files.
"""

import os
from _contextvars import ContextVar
from _thread import allocate_lock
from itertools import count
from time import perf_counter_ns

from concmodels.trace.rows import ROWS, Lane, LostLane, MappedLane, share_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAIN = 1
"""The number of the lane of the first `main`."""


class ChannelNote:
    """A channel of this process: its name, its capacity, and how to count its messages."""

    __slots__ = ("capacity", "inner", "name", "numbers", "unsent")

    def __init__(self, name: str, capacity: float, inner: Any) -> None:
        self.name, self.capacity, self.inner = name, capacity, inner
        self.numbers = count()
        """Of messages; `next` gives each one once, whatever else runs."""
        self.unsent = count()
        """Of those numbers whose message was not sent after all."""

    def counts(self) -> tuple[int, int]:
        """Return how many messages were sent and how many received. To be asked once, at the end."""
        sent = next(self.numbers) - next(self.unsent)
        return sent, sent - len(self.inner)


class Recorder:
    """Takes the rows of a run. `folder` is where those of other processes lie, if the model has such."""

    def __init__(
        self,
        rows: int = ROWS,
        *,
        clock: Callable[[], int] = perf_counter_ns,
        folder: str | None = None,
        is_home: bool = True,
    ) -> None:
        self.rows, self.clock, self.folder, self.is_home = rows, clock, folder, is_home
        self.clock_name = "perf_counter_ns"
        self.model = ""
        """The name of the first model that was run."""
        self.models: dict[str, Any] = {}
        """The traced models, by the name of the module or the variant."""
        self.ended: str | None = None
        """How the run has ended, if somebody has said so."""
        self.waits: list[str] = []
        """If it ended in a deadlock: what each task waits for."""
        self.pid = os.getpid()
        self.current: ContextVar[Lane] = ContextVar("concmodels.trace")
        """The lane of the task that runs. Another trace has another one: a thread may be in both."""
        self.mask = [0]
        """Of the lanes of this process: see `Lane.shared`."""
        self.lanes: list[Lane] = []
        self.notes: dict[int, ChannelNote] = {}
        self.counts: dict[tuple[int, int], tuple[int, int]] = {}
        """How many messages were sent and received, for channels beyond a memory boundary, by run and number."""
        self.again: Callable[[str, int], Recorder] = recorder_at
        """The function that returns the recorder where it arrives; that of `installed.py` also traces the models."""
        self._numbers = count(MAIN)
        self._calls = count(1)
        self._lock = allocate_lock()

    def need_folder(self) -> None:
        """Make the folder for the lanes of other processes, if there is none yet."""
        if self.folder is None:
            import tempfile

            folder = tempfile.mkdtemp(prefix="concmodels-trace-")
            free = next(self._numbers)
            for number in range(MAIN, free):
                os.close(os.open(lane_path(folder, number), os.O_CREAT | os.O_WRONLY))
            self._numbers = count(free)
            self.folder = folder
            _recorders[folder] = self

    def __reduce__(self) -> tuple[Callable[..., Recorder], tuple[str, int]]:
        if self.folder is None:
            raise TypeError("what is traced in one process can't be pickled")
        return self.again, (self.folder, self.rows)

    def reserve(self) -> int:
        """Return a number for a lane, which no other one of the run gets, in whatever process."""
        if self.folder is None:
            return next(self._numbers)
        with self._lock:
            for number in self._numbers:
                try:
                    os.close(os.open(lane_path(self.folder, number), os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                except FileExistsError:
                    continue
                except OSError:
                    pass  # there is no space even for its name: the lane will be lost
                return number
        raise AssertionError("numbers have no end")

    def new_call(self) -> int:
        """Return a number for a call of a pool, which no other one of the run has."""
        number = next(self._calls)
        return number if self.is_home else self.lane().number << 24 | number

    def open(self, number: int, name: str) -> Lane:
        """Open the lane of a task."""
        most = share_of(self.rows, number)
        if self.is_home:
            lane = Lane(number, name, most, self.clock, self.mask)
            self.lanes.append(lane)
            return lane
        assert self.folder is not None
        try:
            return MappedLane(lane_path(self.folder, number), number, name, most)
        except OSError:
            return LostLane(number, name)

    def lane(self) -> Lane:
        """Return the lane of the task that runs. A thread that the program has started itself gets one here."""
        try:
            return self.current.get()
        except LookupError:
            import threading

            lane = self.open(self.reserve(), f"thread {threading.current_thread().name}")
            lane.works()
            self.current.set(lane)
            return lane

    def note_channel(self, inner: Any, name: str | None, is_beyond: bool) -> tuple[int, ChannelNote]:
        """Note a channel that was made here; return its number, which no other one of the run has, and the note."""
        lane = self.lane()
        lane.made += 1
        number = lane.number << 20 | lane.made
        note = ChannelNote(name or "", inner.capacity, inner)
        if self.is_home and not is_beyond:
            self.notes[number] = note
        else:
            place = f"{inner.home.run} {inner.number}" if is_beyond else "0 0"
            self._write_note(f"{number} {place} {inner.capacity} {note.name}")
        return number, note

    def _write_note(self, line: str) -> None:
        """Append a line to the folder's list of channels; if there is no space left, the channel will have no name."""
        text = " ".join(line.splitlines()).encode(errors="replace") + b"\n"
        try:
            with open(f"{self.folder}/channels", "ab", buffering=0) as file:
                file.write(text)
        except OSError:
            return


def lane_path(folder: str, number: int) -> str:
    """Return the path of the file of a lane."""
    return f"{folder}/{number:06}.lane"


_recorders: dict[str, Recorder] = {}


def recorder_at(folder: str, rows: int) -> Recorder:
    """Return the one recorder that this process or interpreter has for a folder."""
    recorder = _recorders.get(folder)
    if recorder is None or recorder.pid != os.getpid():  # a fork has that of its parent
        recorder = _recorders[folder] = Recorder(rows, folder=folder, is_home=False)
    return recorder


def forget(folder: str) -> None:
    """Forget the recorder of a folder that is gone."""
    _recorders.pop(folder, None)
