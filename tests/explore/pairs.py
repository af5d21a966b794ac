"""Pairs of programs, one broken and one fixed: what is the same for the races of threads and of event loops."""

import time
from pathlib import Path

import concmodels
from concmodels.explore import explore, replay

RACES = Path(concmodels.__file__).parent.parent / "examples" / "races"


def names_in(folder):
    """The names of the pairs in a folder, which has nothing but these."""
    names = sorted(path.name.removesuffix("_broken.py") for path in folder.glob("*_broken.py"))
    both = {f"{name}_{kind}.py" for name in names for kind in ("broken", "fixed")}
    assert both == {path.name for path in folder.glob("*.py")}
    return names


def must_be_found(path, forced_switches):
    """A broken program is found soon, with so many forced switches at most; return the report."""
    report = explore(path)
    assert report.verdict == "broken", str(report)
    assert report.failure.number <= 100
    assert report.failure.forced_switches <= forced_switches
    assert len(report.failure.replay_id) <= 60
    assert replay(path, schedule=report.failure.replay_id).verdict == "broken"
    return report


def must_hold_in_all(path):
    """A fixed program holds in all schedules; return the report."""
    report = explore(path, seconds=60.0)
    assert report.verdict == "held in all", str(report)
    return report


def seconds_of_all(folder):
    """The processor time that it takes to explore all programs of a folder."""
    begin = time.process_time()
    for path in folder.glob("*.py"):
        explore(str(path))
    return time.process_time() - begin
