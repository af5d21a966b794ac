"""The processor seconds and the memory that a server, and what stands around it, takes while there is load."""

import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from benchmarks.result import FIGURE
from benchmarks.web import account

SERVER = "server"
"""The part under test; the others have the names of their programs."""


class Moment(NamedTuple):
    """Seconds of processors that have been used until now."""

    clock: float
    parts: dict[str, float]
    ours: float
    """By this process and by what it has waited for, such as the generator."""
    machine: float
    stolen: float


class Usage:
    """Counts from its creation on. A part is the first processes of it; all that descend from these belong to it."""

    def __init__(self, parts: Mapping[str, Sequence[int]]) -> None:
        self._parts = parts
        self._seen: Counter[str] = Counter()
        self._begin = self._now()

    def _now(self) -> Moment:
        return now(self._parts)

    @contextmanager
    def halfway(self, seconds: float) -> Iterator[None]:
        """Look at the server's memory, processes and threads in the middle of so many seconds."""
        look = threading.Timer(seconds / 2, self._look)
        look.start()
        try:
            yield
        finally:
            look.join()

    def _look(self) -> None:
        for pid in self._parts[SERVER]:
            self._seen.update(account.counted(pid))

    def figures(self, loaded_s: float, answers: float) -> dict[str, Any]:
        """Return what was used until now, of which there was load for `loaded_s` seconds, with so many answers."""
        return between(self._begin, self._now(), loaded_s, answers) | dict(self._seen)


def now(parts: Mapping[str, Sequence[int]]) -> Moment:
    """Return what has been used until now. Raises `OSError` where the system does not tell."""
    used = {part: sum(map(account.of_tree, pids)) for part, pids in parts.items()}
    return Moment(time.monotonic(), used, account.ours(), *account.machine())


@contextmanager
def noted() -> Iterator[dict[str, float]]:
    """Yield what becomes the figures of the time inside: the processors that other programs and other machines had.

    What this process waits for is its own. Nothing is noted where the system does not tell.
    """
    figures: dict[str, float] = {}
    begin = None
    with suppress(OSError):
        begin = now({})
    yield figures
    if begin is not None:
        figures |= {FIGURE + name: value for name, value in of_others(begin, now({})).items()}


def of_others(begin: Moment, end: Moment) -> dict[str, float]:
    """Return the processors that other programs of this machine, and other machines of its host, had meanwhile."""
    used = sum(end.parts.values()) - sum(begin.parts.values()) + end.ours - begin.ours
    passed = end.clock - begin.clock
    others = max(0.0, end.machine - begin.machine - used) / passed
    return {"foreign_cores": others, "steal": (end.stolen - begin.stolen) / passed}


def between(begin: Moment, end: Moment, loaded_s: float, answers: float) -> dict[str, float | None]:
    """Return the figures for what was used between two moments, in which there was load for `loaded_s` seconds."""
    used = {part: seconds - begin.parts[part] for part, seconds in end.parts.items()}
    each = {part: seconds / answers * 1e6 for part, seconds in used.items()} if answers else {}
    return {
        "server_cores": used[SERVER] / loaded_s,
        "cpu_us_per_request": each.pop(SERVER, None),
        **of_others(begin, end),
        **{f"{part}_cpu_us": took for part, took in each.items()},
    }
