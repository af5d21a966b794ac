"""A schedule as a trace: a lane for each task, and its steps in it; the time is the number of the step."""

import os
from collections.abc import Iterable
from typing import Protocol

from concmodels.trace.chrome import LaneFacts, Recording, write

_STEP_NS = 1_000


class Moment(Protocol):
    """A step of a schedule, as the explorer notes it."""

    @property
    def identity(self) -> str: ...
    @property
    def task(self) -> str: ...
    @property
    def what(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def source(self) -> str: ...
    @property
    def forced(self) -> bool: ...


def write_steps(
    path: str | os.PathLike[str],
    moments: Iterable[Moment],
    *,
    program: str = "",
    ended: str = "",
    waits: Iterable[str] = (),
) -> None:
    """Write these steps as a trace. Raises `OSError` if the file can't be written."""
    recording = Recording([], {}, {1: "schedule"}, program=program, clock="step", ended=ended or None)
    recording.waits = list(waits)
    lanes: dict[str, LaneFacts] = {}
    for number, moment in enumerate(moments):
        lane = lanes.setdefault(moment.identity, LaneFacts(len(lanes) + 1, moment.task, []))
        begin, place = number * _STEP_NS, f"{moment.file}:{moment.line}" if moment.file else ""
        args = {
            "what": "step", "channel": 0, "number": number, "begin": begin, "end": begin + _STEP_NS, "failed": None,
            "text": moment.what, "place": place, "line": moment.source if moment.file else "", "forced": moment.forced,
        }  # fmt: skip
        recording.steps.append({
            "ph": "X", "ts": begin / 1e3, "dur": _STEP_NS / 1e3, "name": moment.what, "cat": "step", "pid": 1,
            "tid": lane.number, "args": args,
        })  # fmt: skip
    for identity, lane in lanes.items():
        above = lanes.get(identity.rpartition(".")[0]) or lanes.get("0")
        lane.parent = None if above is None or above is lane else above.number
        recording.lanes.append(lane)
    with open(path, "w+b", buffering=0) as file:
        write(file, recording)
