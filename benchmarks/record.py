"""Gathers the runs of a session and writes them as the file that `benchmarks.result` describes."""

import io
import json
import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.machine import KEPT
from benchmarks.result import FIGURE, FORMAT, OWN_KEY, TEXTS, LeftOut, Results, from_data

OUR_KEYS = ("suite", "cell", "candidate", "kind", "model", "python", "gil", "round", "step", "parameters", "libraries")


class Record:
    """Everything that has been measured so far. `write` may be called at any time, and always writes a valid file."""

    def __init__(self, path: Path | None, **about: Any) -> None:
        self.path = path
        self.left_out: list[LeftOut] = []
        self._benchmarks: dict[str, Any] = {}
        self._began = time.monotonic()
        self.about = {"format": FORMAT, "date": datetime.now(UTC).isoformat(timespec="seconds")} | about

    def add(self, text: str, meanwhile: Mapping[str, float] = MappingProxyType({})) -> Any:
        """Add a run that a worker has written; return it as pyperf's object.

        With what was noted meanwhile: what the run has noted itself is closer to it.
        """
        import pyperf

        benchmark = pyperf.Benchmark([slim(run, meanwhile) for run in pyperf.Benchmark.loads(text).get_runs()])
        name = benchmark.get_name()
        if name in self._benchmarks:
            self._benchmarks[name].add_runs(benchmark)
        else:
            self._benchmarks[name] = benchmark
        return benchmark

    def seconds(self) -> float:
        """Return how long it has been gathering."""
        return time.monotonic() - self._began

    def finish(self, finished: bool) -> None:
        """Note whether everything that was wanted has been done, and write the file."""
        self.about |= {"finished": finished, "seconds": round(self.seconds(), 1)}
        self.write()

    def write(self) -> None:
        """Write the file completely or not at all."""
        if self.path is None:
            return
        beside = self.path.with_name(self.path.name + ".new")
        beside.write_text(json.dumps(self.data(), separators=(",", ":")) + "\n")
        os.replace(beside, self.path)

    def data(self) -> dict[str, Any]:
        """Return the content of the file."""
        import pyperf

        data: dict[str, Any] = {"version": "1.0", "metadata": {}, "benchmarks": []}
        measured = [it for it in self._benchmarks.values() if it.get_nvalue()]
        if measured:
            text = io.StringIO()
            pyperf.BenchmarkSuite(measured).dump(text)
            data = json.loads(text.getvalue())
        left_out = [
            vars(it) | {name: nameless(getattr(it, name)) for name in ("python", "why")} for it in self.left_out
        ]
        return data | {OWN_KEY: {"finished": False} | self.about | {"left_out": left_out}}

    def results(self) -> Results:
        """Return the results as `read` would return them."""
        return from_data(self.data())


def nameless(text: str) -> str:
    """Return a message without the user's home folder, which has the user's name."""
    home = os.path.expanduser("~").rstrip("/")
    return text.replace(home, "~") if home else text


def slim(run: Any, meanwhile: Mapping[str, float]) -> Any:
    """Return the run with only the useful metadata, and nothing that names this machine."""
    import pyperf

    about = dict(meanwhile) | {name: value for name, value in run.get_metadata().items() if wanted(name)}
    return pyperf.Run(run.values, warmups=run.warmups, metadata=about, collect_metadata=False)


def wanted(name: str) -> bool:
    """Return whether this metadata is kept."""
    return name in KEPT or name in OUR_KEYS or name in TEXTS or name.startswith(FIGURE)
