"""What each part of the stack takes while there is load: seconds of processors, and the server's memory."""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from benchmarks.web import account

SERVER = "server"
"""The part under test; the others have the names of their programs."""


class Usage:
    """Counts from its creation on. A part is the first processes of it; all that descend from these belong to it."""

    def __init__(self, parts: Mapping[str, Sequence[int]]) -> None:
        self._parts = parts
        self._memory = 0
        self._counted: dict[str, int] = {}
        self._begin = time.monotonic()
        self._used = self._seconds()
        self._machine = account.machine()
        self._ours = account.ours()

    def _seconds(self) -> dict[str, float]:
        return {part: sum(map(account.of_tree, pids)) for part, pids in self._parts.items()}

    @contextmanager
    def halfway(self, seconds: float) -> Iterator[None]:
        """Look at the server's memory in the middle of so many seconds."""
        look = threading.Timer(seconds / 2, self._look)
        look.start()
        try:
            yield
        finally:
            look.join()

    def _look(self) -> None:
        pids = self._parts[SERVER]
        self._memory = sum(map(account.pss, pids))
        counts = [account.counted(pid) for pid in pids]
        self._counted = {name: sum(it[name] for it in counts) for name in ("processes", "threads")}

    def figures(self, loaded_s: float, answers: int) -> dict[str, Any]:
        """Return what was used until now, of which there was load for `loaded_s` seconds, with so many answers."""
        passed = time.monotonic() - self._begin
        used = {part: now - self._used[part] for part, now in self._seconds().items()}
        busy, stolen = (now - before for now, before in zip(account.machine(), self._machine, strict=True))
        others = busy - sum(used.values()) - (account.ours() - self._ours)
        each = {part: took / answers * 1e6 for part, took in used.items()} if answers else {}
        return {
            "server_cores": used[SERVER] / loaded_s,
            "foreign_cores": max(0.0, others) / passed,
            "steal": stolen / passed,
            "peak_pss_bytes": self._memory,
            "cpu_us_per_request": each.pop(SERVER, None),
            **{f"{part}_cpu_us": took for part, took in each.items()},
            **self._counted,
        }
