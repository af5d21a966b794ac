"""Several results of one machine as one: `python -m benchmarks merge`.

What was measured in several runs, such as one suite and then another one, becomes one file, of which a report can be
made. Figures of two machines can't stand beside each other, and of two figures of one candidate neither is the right
one, so both are refused.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmarks.record import Record
from benchmarks.result import LeftOut, Results, read
from concmodels.programs.output.streams import BadInput

MACHINE = ("cpu_model", "cpus", "memory_bytes", "platform")
"""What tells one machine from another; its load may differ, and so may the versions of libraries."""
_LIBC = "-with-"
"""What follows in the name of a platform is the C library of the Python that ran, and not the machine's."""


@dataclass(frozen=True)
class File:
    """A result, and where it is."""

    path: Path
    results: Results

    @property
    def about(self) -> dict[str, Any]:
        """What the file says about its run."""
        return self.results.about


def merge(paths: Sequence[Path], output: Path) -> Results:
    """Write the results in these files into one file, and return them.

    Raises `BadInput` with a sentence if they are of different machines, have a row in common, or mean different
    Pythons by one name, and `BadResult` if one of them is no result.
    """
    files = [File(path, read(path)) for path in paths]
    for one, other in combinations(files, 2):
        check(one, other)
    record = Record(output)
    record.about |= about(files)
    for path in paths:
        for runs in runs_in(path):
            record.add_runs(runs)
    record.left_out = left_out(files)
    record.write()
    return record.results()


def check(one: File, other: File) -> None:
    """Raise `BadInput` unless these two can be in one file."""
    for name in MACHINE:
        here, there = (fact(it, name) for it in (one, other))
        if None not in (here, there) and here != there:
            raise BadInput(f"{other.path} is of another machine than {one.path}: {name} is {there} there, not {here}")
    common = {row.name for row in one.results.rows} & {row.name for row in other.results.rows}
    if common:
        more = f" and {len(common) - 1:,} more" if len(common) > 1 else ""
        raise BadInput(f"{one.path} and {other.path} both have {min(common)}{more}: leave one of the two files out")
    for tag in pythons(one).keys() & pythons(other).keys():
        if not same(pythons(one)[tag], pythons(other)[tag]):
            raise BadInput(f"{one.path} and {other.path} were measured on two different Pythons called {tag}")


def fact(file: File, name: str) -> Any:
    """Return what a file says of its machine; None if it does not say that."""
    found = file.about.get("machine", {}).get(name)
    return found.partition(_LIBC)[0] if name == "platform" and isinstance(found, str) else found


def pythons(file: File) -> dict[str, dict[str, Any]]:
    """Return what a file says of its Pythons, by their names."""
    found: dict[str, dict[str, Any]] = file.about.get("pythons", {})
    return found


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether two Pythons may be one: older results do not say how theirs was built."""
    return all(one[name] == other[name] for name in one.keys() & other.keys())


def about(files: list[File]) -> dict[str, Any]:
    """Return what is said of all of them together."""
    every = [file.about for file in files]
    found = {name: value for it in reversed(every) for name, value in it.items()}
    return found | {
        "command": " && ".join(str(it["command"]) for it in every if "command" in it),
        "date": max(str(it.get("date", "")) for it in every),
        "quick": any(it.get("quick") for it in every),
        "finished": all(it.get("finished") for it in every),
        "wanted": sum(it.get("wanted", 0) for it in every),
        "seconds": round(sum(it.get("seconds", 0) for it in every), 1),
        "pythons": all_pythons(files),
    }


def all_pythons(files: list[File]) -> dict[str, dict[str, Any]]:
    """Return what is known of every Python, by its name."""
    found: dict[str, dict[str, Any]] = {}
    for file in files:
        for tag, it in pythons(file).items():
            found[tag] = found.get(tag, {}) | it
    return found


def left_out(files: list[File]) -> list[LeftOut]:
    """Return what could not be measured in any of these."""
    measured = {row.name for file in files for row in file.results.rows}
    every = dict.fromkeys(it for file in files for it in file.results.left_out)
    return [it for it in every if it.name not in measured]


def runs_in(path: Path) -> Iterator[list[Any]]:
    """Yield the runs of each benchmark in a file."""
    import pyperf

    if json.loads(path.read_text())["benchmarks"]:  # pyperf takes a file without any for no file of its own
        yield from (list(it.get_runs()) for it in pyperf.BenchmarkSuite.load(str(path)))
