"""Mark the hand-ins of a folder: python grade_folder.py SOLUTION.py FOLDER

What the solution keeps counts, so all hand-ins have the same number of guarantees to keep. Each is graded by
`python -m concmodels.conformance` in processes of its own, several at a time. So a hand-in may hang, crash, or print
without end: it gets the points of what was tested before. Ctrl-C ends it; what is graded by then is written all the
same.
"""

import argparse
import asyncio
import csv
import json
import os
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from hand_ins import files_in, mark_all, run


@dataclass
class Graded:
    """What came of one file. A test is one guarantee, for one of its capacities: two texts."""

    file: str
    kept: set = field(default_factory=set)
    broken: set = field(default_factory=set)
    note: str = ""
    """Why it was not graded to the end, if so."""


async def grade(file, name, options, limit):
    """Grade one file. Whatever it does, that takes little more than `limit` seconds."""
    with tempfile.TemporaryDirectory(prefix="grading-") as folder:
        told, said = Path(folder, "told.json"), Path(folder, "said.txt")
        command = [sys.executable, "-m", "concmodels.conformance", file, "--quiet", "--json", told, *options.passed_on]
        with said.open("wb") as errors:
            status = await run(command, limit, errors)
        note = ""
        if status is None:
            note = f"stopped after {limit:g} seconds"
        elif status not in (0, 1):  # the last line is a sentence that says why
            note = said.read_text(errors="replace").strip().rpartition("\n")[2].partition(": ")[2] or "the grader died"
        return Graded(name, *tests(told), note)


async def grade_in(options, file):
    """Grade a file of the folder."""
    return await grade(file, str(file.relative_to(options.folder)), options, options.limit)


def tests(told):
    """Read the tests that were kept, and those that were broken."""
    found = {"kept": set(), "broken": set(), "not guaranteed": set()}
    try:
        reports = json.loads(told.read_text())
    except OSError, ValueError:
        reports = []  # the grader was killed before it could write
    for report in reports:
        for outcome in report["outcomes"]:
            found[outcome["verdict"]].add((outcome["guarantee"], outcome["values"]))
    return found["kept"], found["broken"]


def by_chapter(wanted, kept):
    """Count the guarantees of each chapter: those that are kept in every test that counts, and all."""
    whole = Counter(guarantee.partition(".")[0] for guarantee in {guarantee for guarantee, _ in wanted})
    lost = Counter(guarantee.partition(".")[0] for guarantee in {guarantee for guarantee, _ in wanted - kept})
    return {chapter: (whole[chapter] - lost[chapter], whole[chapter]) for chapter in whole}


def points(chapters, scheme):
    """Return the points of all chapters: each gives its points in proportion to what is kept in it."""
    return sum(scheme.get(chapter, 0) * kept / whole for chapter, (kept, whole) in chapters.items())


def has_passed(chapters, total, options):
    """Return whether that is enough to pass: as many points as `--pass` says, and all of `--complete`."""
    return total >= options.enough and all(kept == whole for kept, whole in map(chapters.get, options.complete))


def write(path, wanted, done, scheme, options):
    """Write a line for each hand-in to a CSV file, and print the same in short."""
    names = sorted({guarantee.partition(".")[0] for guarantee, _ in wanted})
    print(f"{'points':>6}  {'passed':>6}  {'kept':>7}  {'broken':>6}  hand-in")
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["hand-in", "points", "passed", *names, "broken", "note"])
        for it in sorted(done, key=lambda it: it.file):
            chapters, broken = by_chapter(wanted, it.kept), len({guarantee for guarantee, _ in it.broken})
            total = round(points(chapters, scheme), 1)  # as shown: 50.0 is enough for 50
            passed = "yes" if has_passed(chapters, total, options) else "no"
            of_each = ["{}/{}".format(*chapters[name]) for name in names]
            table.writerow([it.file, f"{total:.1f}", passed, *of_each, broken, it.note])
            kept, whole = map(sum, zip(*chapters.values(), strict=True))
            line = f"{total:>6.1f}  {passed:>6}  {kept:>3}/{whole:<3}  {broken:>6}  {it.file}"
            print(f"{line}: {it.note}" if it.note else line)


def main():
    """Grade them; return the exit status."""
    options = parse()
    solution = asyncio.run(grade(options.solution, options.solution.name, options, limit=None))
    if solution.note or solution.broken or not solution.kept:
        print(f"the solution must keep all that it guarantees: {solution.note or solution.broken}", file=sys.stderr)
        return 2
    chapters = by_chapter(solution.kept, set())
    if unknown := sorted({*options.complete} - {*chapters}):
        told = f"the solution keeps nothing of {', '.join(unknown)}: --complete takes {', '.join(chapters)}"
        print(told, file=sys.stderr)
        return 2
    scheme = dict(options.points) or {it: whole for it, (_, whole) in chapters.items()}
    if options.enough is None:
        options.enough = points(chapters, scheme) / 2
    files = files_in([options.folder], options.name, without=[options.solution])
    if not files:
        print(f"no file in {options.folder} is named {options.name}: --name takes another name", file=sys.stderr)
        return 2
    done, status = [], 0
    try:
        asyncio.run(mark_all(files, partial(grade_in, options), options.jobs, done))
    except KeyboardInterrupt:
        status = 130
    write(options.csv, solution.kept, done, scheme, options)
    return status


def parse():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("solution", type=Path, help="a file that keeps what counts")
    add("folder", type=Path, help="all .py files in it are graded, those in its folders too")
    add("--name", metavar="PATTERN", default="*.py", help="only files with this name, such as my_model.py")
    add("--points", metavar="CHAPTER=N", type=worth, nargs="+", default=[], help="default: one for each guarantee")
    add("--pass", metavar="N", dest="enough", type=float, help="the fewest points that pass; default: half of all")
    add("--complete", metavar="CHAPTER", nargs="+", default=[], help="chapters that must be complete to pass")
    add("-k", metavar="TEXT", default="", help="only the guarantees whose name or sentence contains TEXT")
    add("--explore", metavar="N", type=int, help="try each guarantee on N simulated schedules")
    add("--patience", metavar="SECONDS", type=float, default=20, help="for each test; default 20")
    add("--limit", metavar="SECONDS", type=float, default=600, help="for each hand-in; default 600")
    add("--jobs", metavar="N", type=int, default=os.process_cpu_count(), help="how many at a time; default: all CPUs")
    add("--csv", metavar="FILE", default="grades.csv", help="where the grades go; default grades.csv")
    options = parser.parse_args()
    for path in (options.solution, options.folder):
        if not path.exists():
            parser.error(f"there is no {path}")
    options.passed_on = ["-k", options.k, "--patience", f"{options.patience:g}"]
    options.passed_on += ["--explore", str(options.explore)] if options.explore else []
    return options


def worth(text):
    """Read how many points a chapter is worth."""
    chapter, _, number = text.partition("=")
    return chapter, float(number)


if __name__ == "__main__":
    sys.exit(main())
