"""Every result that the site is made of, one after the other: `python -m benchmarks all`.

Each file is one run of one command, of one commit. So a run that was interrupted can't be continued: called again, this
leaves alone the files that are whole and of the same code, and begins the next one from its start. The first one says
how much this machine can tell, so that a busy machine is seen before hours have passed; the explorers count schedules,
which need no quiet, and come last.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.machine import MEASURED, code, commits_since
from benchmarks.result import BadResult, read

FILES: dict[str, tuple[int, tuple[str, ...]]] = {
    "certainty.json": (6, ("certainty", "--rounds", "36")),
    "full.json": (35, ()),
    "shapes.json": (15, ("shapes",)),
    "scale.json": (2, ("scale",)),
    "full-free-threaded.json": (20, ("--twins",)),
    "web.json": (75, ("web",)),
    "web-free-threaded.json": (20, ("web", "--twins")),
    "explorers.json": (5, ("explore",)),
}
"""By name: about how many minutes it takes on two processors, and what follows `python -m benchmarks run`."""
OK, INTERRUPTED = 0, 130


def measure(options: argparse.Namespace, run: Callable[[list[str]], int]) -> int:
    """Measure what is missing in the folder; return the worst exit status. `run` does what a command line says."""
    folder: Path = options.output
    folder.mkdir(parents=True, exist_ok=True)
    missing = [name for name in FILES if not is_whole(folder / name)]
    worst = OK
    for number, name in enumerate(missing, 1):
        left = sum(FILES[it][0] for it in missing[number - 1 :])
        print(
            f"{number} of {len(missing)}: {name}, about {FILES[name][0]} minutes; all that is left, {left}", flush=True
        )
        status = run(list(line(name, folder, options.pythons or ())))
        if status == INTERRUPTED:
            print(f"{name} is not whole: the same command begins it again, and leaves the files before it alone")
            return status
        worst = max(worst, status)
    return worst


def line(name: str, folder: Path, twins: tuple[str, ...]) -> Iterator[str]:
    """Yield the command line that measures a file."""
    yield from ("run", *FILES[name][1])
    if "--twins" in FILES[name][1]:
        for python in twins:
            yield from ("--python", python)
    yield from ("--output", str(folder / name))


def is_whole(file: Path) -> bool:
    """Return whether a file is one run, to its end, of the code that is here, as far as git can tell."""
    try:
        about = read(file).about
    except BadResult:
        return False
    machine = about.get("machine", {})
    if not about.get("finished") or " && " in str(about.get("command")):
        return False
    same = "commit" in machine and commits_since(machine["commit"], *MEASURED) == 0
    return not code() or (same and not machine.get("changed_files") and not code()["changed_files"])
