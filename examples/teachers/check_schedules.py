"""Mark programs on every schedule: python check_schedules.py [--returns VALUE] FILE-OR-FOLDER ...

A program holds if no schedule ends it with an exception or a deadlock, and if `main` returns VALUE on all of them. Each
hand-in is explored in a process of its own, several at a time, so it may hang, crash, or print without end.
"""

import argparse
import ast
import asyncio
import csv
import json
import os
import shutil
import sys
import tempfile
import textwrap
from collections import Counter
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from hand_ins import files_in, mark_all, run

from concmodels.explore import CannotExplore, explore

NOT_CHECKED = "not checked"
WRONG = ("broken", NOT_CHECKED)
NOTE = " " * 13


@dataclass
class Marked:
    """What came of one file."""

    file: str
    verdict: str = NOT_CHECKED
    schedules: int = 0
    returned: str = ""
    note: str = ""
    report: str = ""


def check(file, options):
    """Explore a file in this process."""

    def is_right(value):
        assert value == options.returns, f"main returned {value!r} instead of {options.returns!r}"

    try:
        report = explore(file, check=None if options.returns is ... else is_right, seconds=options.seconds)
    except CannotExplore as error:
        return Marked(file, note=str(error))
    returned = ", ".join(map(repr, report.outcomes))
    note = report.failure.to_json()["error"] if report.failure else "; ".join(report.reasons)
    return Marked(file, report.verdict, report.in_all or report.schedules, returned, note, str(report))


async def check_apart(options, file):
    """Have a process of its own explore the file. Whatever it does, that takes little more than `--limit` seconds."""
    with tempfile.TemporaryDirectory(prefix="checking-") as folder:
        told = Path(folder, "told.json")
        status = await run([sys.executable, __file__, *options.passed_on, "--into", told, file], options.limit)
        if told.exists():
            return Marked(**json.loads(told.read_text()))
        ended = f"stopped after {options.limit:g} seconds" if status is None else f"ended Python with status {status}"
        return Marked(str(file), note=ended)


def write(options, done):
    """Print a line for each hand-in, and with `--reports` what is known of those that are wrong; write a CSV file."""
    width = shutil.get_terminal_size().columns
    done.sort(key=lambda it: it.file)
    print(f"{'verdict':<11}  {'schedules':>9}  {'returned':<8}  hand-in")
    for it in done:
        print(f"{it.verdict:<11}  {it.schedules:>9}  {it.returned:<8}  {it.file}")
        if it.note:
            print(textwrap.fill(it.note, width, initial_indent=NOTE, subsequent_indent=NOTE))
    print(", ".join(f"{number} {verdict}" for verdict, number in Counter(it.verdict for it in done).most_common()))
    for it in done if options.reports else ():
        if it.report and it.verdict in WRONG:
            print(f"\n{it.report}")
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(["hand-in", "verdict", "schedules", "returned", "note"])
            table.writerows((it.file, it.verdict, it.schedules, it.returned, it.note) for it in done)


def main():
    """Mark them; return the exit status: 1 if one is broken, or can't be checked."""
    options = parse()
    if options.into:
        options.into.write_text(json.dumps(asdict(check(str(options.paths[0]), options))))
        return 0
    done = []
    try:
        asyncio.run(mark_all(options.files, partial(check_apart, options), options.jobs, done))
    except KeyboardInterrupt:
        write(options, done)
        return 130
    write(options, done)
    return int(any(it.verdict in WRONG for it in done))


def literal(text):
    """Return a value written in Python."""
    try:
        return ast.literal_eval(text)
    except ValueError, SyntaxError:
        raise argparse.ArgumentTypeError(f"{text} is no value in Python, such as 20 or \"'done'\"") from None


def parse():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("paths", metavar="FILE-OR-FOLDER", type=Path, nargs="+", help="of a folder, all .py files are marked")
    add("--name", metavar="PATTERN", default="*.py", help="of folders, only files with this name, such as letters.py")
    add("--returns", metavar="VALUE", type=literal, default=..., help="what main has to return; default: anything")
    add("--seconds", metavar="S", type=float, default=10, help="longest search, for each hand-in; default 10")
    add("--limit", metavar="S", type=float, default=60, help="after that, a hand-in is stopped; default 60")
    add("--jobs", metavar="N", type=int, default=os.process_cpu_count(), help="how many at a time; default: all CPUs")
    add("--csv", metavar="FILE", help="write the table to this file, too")
    add("--reports", action="store_true", help="print the reports of those that are broken, with the schedule")
    add("--into", metavar="FILE", type=Path, help=argparse.SUPPRESS)  # in the process that explores
    options = parser.parse_args()
    if missing := [str(path) for path in options.paths if not path.exists()]:
        parser.error(f"there is no {missing[0]}")
    options.files = files_in(options.paths, options.name)
    if not options.files:
        parser.error(f"no file in {options.paths[0]} is named {options.name}: --name takes another name")
    options.passed_on = ["--seconds", f"{options.seconds:g}"]
    options.passed_on += [] if options.returns is ... else [f"--returns={options.returns!r}"]
    return options


if __name__ == "__main__":
    sys.exit(main())
