"""The file that `python -m benchmarks run` writes, and how to read it.

It is a pyperf file, so `python -m pyperf show FILE`, `stats`, `hist` and `compare_to` work on it, with one key more:

    {"version": "1.0",
     "metadata":   what all runs have in common,
     "benchmarks": [{"metadata": what the runs of one benchmark have in common,
                     "runs": [{"values": [seconds per step], "metadata": {...}}, ...]}, ...],
     "concmodels": {"format": 1, "command", "date", "quick", "finished", "wanted", "machine", "pythons", "seconds",
                    "left_out"}}

One **benchmark** is one candidate in one cell under one Python, by the name `ring/stream/threads@3.14`. A **cell** is
one piece of work with its sizes (`stream`: 300 nodes, everything in flight); its **candidates** do that same work: a
model (`threads`), its hand-written baseline (`baseline threads`), what a user might pick instead (`queue.Queue`).
One **run** is one fresh process; its value is **seconds per step** (a step is a hop, a message, a task, a unit ...),
the set-up outside the clock. Its metadata, beside pyperf's own (`date`, `load_avg_1min`, `loops`, `inner_loops`, which
is the number of steps, `cpu_count`, `cpu_model_name`, `platform`, `python_version` ...):

    suite, cell, candidate, kind, model   `kind` is model, baseline, peer, language or past (an article's own figure)
    python, gil                           the tag ("3.14", "3.14t"), and "on" or "off"
    round                                 from 1; candidates of a cell that ran side by side have the same
    step                                  what is counted: "hop", "message", "task", "unit" ...
    parameters                            every size, as JSON text: nodes, messages, in_flight, capacity ...
    libraries                             versions, as JSON text
    figure_NAME                           other numbers of that run, by their name in the program's JSON (`setup_s`,
                                          `peak_pss_bytes`, `cpu_user_s`, `speedup`, `bytes_per_unit` ...)
    histogram, error_names                of the suite `web`, as JSON text: how many latencies there were by the lower
                                          bound of their bucket in microseconds; how many errors by name

In `parameters`, `in_flight` is a number or "all", `capacity` a number or "inf".

`pythons` has by tag the version, whether the GIL was on, and how that Python was built (`benchmarks.machine.build`).
`left_out` is a list of `{"suite", "cell", "candidate", "python", "failed", "why"}`: what was asked for and could not be
measured; `candidate` and `cell` are empty where a whole interpreter was not to be had. `failed` is false where
something is not installed or not possible there. `finished` is false in the result of a run that was interrupted:
everything in it is valid, only not everything is in it.

    results = read("new.json")
    for row in results.of("ring", "stream"):            # rows of a cell, fastest first
        print(row.candidate, row.python, row.median, row.least, row.most, row.figure("setup_s"))
    results.row("ring", "token", "asyncio").median
    results.sweep("spawn", "units", "trio")             # [(10, row), (100, row), (1000, row), (10000, row)]
"""

import json
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from textwrap import shorten
from typing import Any

from benchmarks.cell import KINDS

FORMAT = 1
OWN_KEY = "concmodels"
FIGURE = "figure_"
TEXTS = ("histogram", "error_names")
"""Metadata that is a dict, as JSON text."""
PYPERFS = ("load_avg_1min", "loops", "mem_max_rss")
"""Numbers of pyperf's own that are among a row's figures."""
AMOUNTS = ("messages",)
"""Parameters that say how much was done to find out, not what."""


class BadResult(ValueError):
    """The file is not a result; the message is one sentence for the user."""


@dataclass(frozen=True)
class Row:
    """One candidate in one cell under one Python."""

    suite: str
    cell: str
    candidate: str
    kind: str
    model: str | None
    """The model that it belongs to; None if there is none, as for another language."""
    python: str
    gil: bool
    step: str
    steps: int
    """The number of steps that one run times."""
    parameters: dict[str, Any]
    libraries: dict[str, str]
    seconds: dict[int, float]
    """The seconds per step, by round."""
    figures: dict[str, dict[int, float]] = field(default_factory=dict)
    """The other numbers, by name, then by round."""
    histograms: dict[int, dict[int, int]] = field(default_factory=dict)
    """By round: the number of latencies in each bucket, by its lower bound in microseconds."""
    error_names: dict[int, dict[str, int]] = field(default_factory=dict)
    """By round: the number of errors by name."""

    @property
    def name(self) -> str:
        """The name in the file: `ring/stream/threads@3.14`."""
        return f"{self.suite}/{self.cell}/{self.candidate}@{self.python}"

    @property
    def median(self) -> float:
        """The median of the seconds per step.

        Requests are counted in rounds of equal length, so for them it comes from the median of the rates: of two
        rounds, that is the requests of both divided by the seconds of both.
        """
        if self.step == "request":
            return 1 / statistics.median(1 / seconds for seconds in self.seconds.values())
        return statistics.median(self.seconds.values())

    @property
    def least(self) -> float:
        """The seconds per step in the best round."""
        return min(self.seconds.values())

    @property
    def most(self) -> float:
        """The seconds per step in the worst round."""
        return max(self.seconds.values())

    @property
    def per_second(self) -> float:
        """The steps per second, from the median."""
        return 1 / self.median

    def by_round(self, figure: str = "seconds") -> dict[int, float]:
        """Return the values of a figure by round; "seconds" stands for the seconds per step."""
        return self.seconds if figure == "seconds" else self.figures.get(figure, {})

    def figure(self, name: str) -> float | None:
        """Return the median of another figure; None if the row has no figure of that name."""
        if name == "seconds":
            return self.median
        values = self.by_round(name).values()
        return statistics.median(values) if values else None


@dataclass(frozen=True)
class LeftOut:
    """A candidate that was asked for and could not be measured."""

    suite: str
    cell: str
    candidate: str
    python: str
    failed: bool
    """Whether that is an error. Otherwise something is not installed, or not possible there."""
    why: str

    @property
    def name(self) -> str:
        """The name, as it is given on the command line."""
        path = "/".join(part for part in (self.suite, self.cell, self.candidate) if part)
        return f"{path}@{self.python}" if path else f"Python {self.python}"


@dataclass(frozen=True)
class Results:
    """Everything in one file."""

    rows: list[Row]
    left_out: list[LeftOut]
    about: dict[str, Any]
    """The key "concmodels", without `left_out`: command, date, quick, finished, wanted, machine, pythons, seconds."""

    @cached_property
    def pythons(self) -> list[str]:
        """The tags of the interpreters that something was measured on, the first one asked for first."""
        return list(dict.fromkeys(row.python for row in self.rows))

    @property
    def suites(self) -> list[str]:
        """The suites with at least one row."""
        return list(dict.fromkeys(row.suite for row in self.rows))

    def cells(self, suite: str) -> list[str]:
        """Return the cells of a suite that have at least one row, in the order of the suite."""
        return list(dict.fromkeys(row.cell for row in self.rows if row.suite == suite))

    def of(self, suite: str, cell: str, python: str | None = None) -> list[Row]:
        """Return the rows of a cell under one Python (by default the first), the fastest first."""
        python = python or next(iter(self.pythons), "")
        return list(self._cells.get((suite, cell, python), ()))

    @cached_property
    def _cells(self) -> dict[tuple[str, str, str], list[Row]]:
        """The rows of each cell under each Python, the fastest first: a report asks for them thousands of times."""
        found: dict[tuple[str, str, str], list[Row]] = {}
        for row in self.rows:
            found.setdefault((row.suite, row.cell, row.python), []).append(row)
        return {cell: sorted(rows, key=lambda row: row.median) for cell, rows in found.items()}

    def row(self, suite: str, cell: str, candidate: str, python: str | None = None) -> Row | None:
        """Return one row, or None if it was not measured."""
        return next((it for it in self.of(suite, cell, python) if it.candidate == candidate), None)

    def sweep(self, suite: str, axis: str, candidate: str, python: str | None = None) -> list[tuple[float, Row]]:
        """Return the rows that differ only in this parameter, by its value in order ("all" and "inf" come last).

        These are the rows of the cells `AXIS-VALUE`, and of other cells that have all other sizes in common with them.
        """
        rows = [it for cell in self.cells(suite) if (it := self.row(suite, cell, candidate, python))]
        own = [it for it in rows if it.cell.startswith(f"{axis}-")]
        if not own:
            return []
        fitting = [it for it in rows if axis in it.parameters and others(it, axis) == others(own[0], axis)]
        by_value = {number(it.parameters[axis]): it for it in (*fitting, *own)}
        return sorted(by_value.items(), key=lambda pair: pair[0])


def others(row: Row, axis: str) -> dict[str, Any]:
    """Return the parameters of a row except this one, and except those that only say how much was done."""
    return {name: value for name, value in row.parameters.items() if name != axis and name not in AMOUNTS}


def number(value: Any) -> float:
    """Return a parameter as a number for an axis."""
    return float("inf") if value in ("all", "inf") else float(value)


def read(path: str | Path) -> Results:
    """Read a result file. Raises `BadResult` with a sentence if it can't be read."""
    try:
        return from_data(json.loads(Path(path).read_text()))
    except OSError as error:
        raise BadResult(f"{path} can't be read: {error.strerror}") from None
    except Exception as error:  # noqa: BLE001 - whatever can't be made of it, it is no result
        why = shorten(f"{type(error).__name__}: {error}", 200)
        raise BadResult(f"{path} is not a result of `python -m benchmarks run` ({why})") from None


def from_data(data: dict[str, Any]) -> Results:
    """Return the results in the JSON data of a file."""
    import pyperf

    about = about_of(data[OWN_KEY])
    left_out = [left_out_of(it) for it in about.pop("left_out")]
    suite = pyperf.BenchmarkSuite.loads(json.dumps(data)) if data["benchmarks"] else ()
    return Results([row_of(list(runs_of(benchmark))) for benchmark in suite], left_out, about)


def about_of(data: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of what is under our own key. Raises `TypeError` for a value of the wrong type."""
    known: dict[str, tuple[type, ...]] = {"machine": (dict,), "pythons": (dict,), "seconds": (int, float)}
    known |= {"wanted": (int,)}
    for name in known.keys() & data.keys():
        typed(data, name, *known[name])
    for python in data.get("pythons", {}):
        about = typed(data["pythons"], python, dict)
        if "build" in about:
            check_build(typed(about, "build", dict))
    for name, types in {"memory_bytes": (int,), "load_avg": (list, tuple)}.items():
        if data.get("machine", {}).get(name) is not None:
            typed(data["machine"], name, *types)
    return dict(data)


def check_build(build: dict[str, Any]) -> None:
    """Raise `KeyError` or `TypeError` unless this says how a Python was built, as `benchmarks.machine.build` does."""
    for name in ("version", "compiler", "optimisation"):
        typed(build, name, str)
    typed(build, "gil_disabled", bool)
    for flag in typed(build, "configure", list):
        if not isinstance(flag, str):
            raise TypeError(f"a flag can't be {flag!r}")


def left_out_of(data: dict[str, Any]) -> LeftOut:
    """Return what was left out, from its JSON. Raises `TypeError` for a value of another type."""
    for it in fields(LeftOut):
        typed(data, it.name, bool if it.name == "failed" else str)
    return LeftOut(**data)


def typed[T](data: dict[str, Any], name: str, *types: type[T]) -> T:
    """Return the value with this name. Raises `KeyError`, and `TypeError` if it is of another type."""
    value = data[name]
    if not isinstance(value, types):
        raise TypeError(f"{name} can't be {value!r}")
    return value


def runs_of(benchmark: Any) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield the seconds per step and the metadata of each run that counts; a calibration has no values."""
    for run in benchmark.get_runs():
        if run.values:
            yield statistics.median(run.values), run.get_metadata()


def row_of(runs: list[tuple[float, dict[str, Any]]]) -> Row:
    """Return the row that these runs make."""
    first = runs[0][1]
    suite, cell, candidate, kind, python, gil, step = (
        typed(first, name, str) for name in ("suite", "cell", "candidate", "kind", "python", "gil", "step")
    )
    if kind not in KINDS:
        raise ValueError(f"there is no kind {kind!r}")
    return Row(
        suite,
        cell,
        candidate,
        kind,
        model=typed({"model": None} | first, "model", str, type(None)),
        python=python,
        gil=gil == "on",
        step=step,
        steps=typed(first, "inner_loops", int),
        parameters=dict(json.loads(first["parameters"])),
        libraries=dict(json.loads(first["libraries"])),
        seconds={typed(about, "round", int): value for value, about in runs},
        figures=figures_of(runs),
        histograms={number: {int(key): it for key, it in found.items()} for number, found in dicts(runs, "histogram")},
        error_names=dict(dicts(runs, "error_names")),
    )


def figures_of(runs: list[tuple[float, dict[str, Any]]]) -> dict[str, dict[int, float]]:
    """Return the other figures of these runs by name and round. Raises `TypeError` if one is no number."""
    figures: dict[str, dict[int, float]] = {}
    for _, about in runs:
        for name in about:
            if name.startswith(FIGURE) or name in PYPERFS:
                value = typed(about, name, int, float)
                figures.setdefault(name.removeprefix(FIGURE), {})[typed(about, "round", int)] = value
    return figures


def dicts(runs: list[tuple[float, dict[str, Any]]], name: str) -> Iterator[tuple[int, dict[str, int]]]:
    """Yield the round and the dict of each run that has this metadata. Raises `TypeError` if it is of another type."""
    for _, about in runs:
        if name in about:
            found = dict(json.loads(typed(about, name, str)))
            yield typed(about, "round", int), {key: typed(found, key, int) for key in found}
