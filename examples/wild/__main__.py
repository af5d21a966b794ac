"""Explore bugs of released packages: the version before the fix, and the one after it.

    python examples/wild                               all of them, as a table
    python examples/wild zict_lru                      one, with the schedule that breaks the version before
    python examples/wild zict_lru zict==3.0.0          that program with another version
    python examples/wild --json result.json            all of them; the table goes into a file too

`wild.toml` has the packages and versions. They are installed by uv or pip into a temporary folder, or into
`--folder FOLDER`, where they are looked for first.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
BUGS = tomllib.loads((HERE / "wild.toml").read_text())
INSTALL_S, EXPLORE_S = 180, 120
FETCHED_UV = (
    "root=$(pwd -P) log=.python/wild.log; . tools/uv.sh; . tools/debian.sh; get_uv; exec uv pip $0 $no_index $@"
)


class NotHere(Exception):
    """A package can't be had."""


def main():
    options = parsed()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary)
        try:
            if options.bug:
                requirements = [options.version] if options.version else versions(options.bug)
                for requirement in requirements:
                    show(options.bug, requirement, explored(options.bug, requirement, folder))
            else:
                table(options.json, folder)
        except NotHere as error:
            sys.exit(f"wild: {error}")


def parsed():
    parser = argparse.ArgumentParser(prog="python examples/wild", description=__doc__.partition("\n")[0])
    parser.add_argument("bug", nargs="?", choices=BUGS, help="one of the programs")
    parser.add_argument("version", nargs="?", metavar="PACKAGE==VERSION", help="explore it with this version alone")
    parser.add_argument("--folder", help="where the packages are, or are installed; by default a temporary folder")
    parser.add_argument("--json", metavar="FILE", help="write the reports of all bugs into a file")
    return parser.parse_args()


def versions(bug):
    """The requirements of the version before the fix and of the one after it."""
    return [f"{BUGS[bug]['package']}=={BUGS[bug][which]}" for which in ("before", "after")]


def installed(requirement, folder):
    """The folder in which a version of a package is installed."""
    target = folder / requirement
    if not target.is_dir():
        new = folder / f"{requirement}.new"
        command = installer(["install", "--quiet", "--target", str(new), requirement])
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=INSTALL_S, check=False)
        except subprocess.TimeoutExpired:
            raise NotHere(f"{requirement} was not installed within {INSTALL_S} s") from None
        if done.returncode:
            raise NotHere(f"{requirement} can't be installed: {(done.stderr.strip() or 'no reason').splitlines()[-1]}")
        new.rename(target)
    return target


def installer(arguments):
    """The command that installs packages for this Python: pip if it has it, else uv, which the project can fetch."""
    if find_spec("pip"):
        return [sys.executable, "-m", "pip", *arguments, "--disable-pip-version-check"]
    verb, *rest = arguments
    if shutil.which("uv"):
        return ["uv", "pip", verb, "--python", sys.executable, *rest]
    return ["sh", "-euc", FETCHED_UV, verb, "--python", sys.executable, *rest]


def explored(bug, requirement, folder):
    """Explore the program with this version in a process of its own; return the report as JSON has it."""
    path = os.pathsep.join([str(installed(requirement, folder)), str(ROOT)])
    command = [sys.executable, "-W", "ignore", "-m", "concmodels.explore", f"{bug}.py"]
    command += ["--packages", BUGS[bug]["explored"], "--json", "-"]
    done = subprocess.run(
        command, cwd=HERE, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, timeout=EXPLORE_S,
        check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        raise NotHere(f"{requirement} can't be explored: {done.stderr.strip()}")
    (report,) = json.loads(done.stdout)
    report["text"] = done.stderr.replace(f"{installed(requirement, folder)}{os.sep}", "")
    return report


def show(bug, requirement, report):
    print(f"{bug} with {requirement}, {report['seconds']:.1f} s\n{report['text']}")


def table(file, folder):
    """Explore all bugs, and print a line for each."""
    rows = []
    print(f"{'':20}{'version before':24}{'':34}{'version after':24}")
    for bug in BUGS:
        row = [explored(bug, requirement, folder) for requirement in versions(bug)]
        rows.append({"bug": bug, "before": row[0], "after": row[1]})
        (old, new), (before, after) = versions(bug), row
        print(f"{bug:20}{old:24}{verdict(before):34}{new:24}{verdict(after)}", flush=True)
    if file:
        Path(file).write_text(json.dumps({"python": sys.version.split()[0], "rows": rows}, indent=1) + "\n")


def verdict(report):
    """A report in a few words: `broken at 8, 3.14-4f156a-a-16@2`."""
    if report["failure"]:
        return f"broken at {report['failure']['found_at']}, {report['failure']['replay']}"
    if report["in_all"] is not None:
        return f"held in all {report['in_all']}"
    return f"held so far ({report['unseen'][0] if report['unseen'] else 'no time for more'})"


if __name__ == "__main__":
    main()
