"""Explore bugs of released packages: the version before the fix and the one after it, or the one that has it today.

    python examples/wild                               all of them, as a table
    python examples/wild zict_lru                      one, with the schedule that breaks the version before
    python examples/wild zict_lru zict==3.0.0          that program with another version
    python examples/wild --json FILE                   all of them; the reports go into a file too

`wild.toml` has the packages and versions. They are installed by pip or uv into a temporary folder, or into
`--folder FOLDER`, where they are looked for first. On real threads, each program is also run a thousand times, with
the shortest switch interval.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
BUGS = tomllib.loads((HERE / "wild.toml").read_text())
INSTALL_S, EXPLORE_S, REAL_S = 180, 120, 300
FETCHED_UV = (
    "root=$(pwd -P) log=.python/wild.log; . tools/uv.sh; . tools/debian.sh; get_uv; exec uv pip $0 $no_index $@"
)


class NotHere(Exception):
    """A package can't be had, or not be explored."""


def main() -> None:
    options = parsed()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary)
        try:
            if options.bug:
                for requirement in [options.version] if options.version else requirements(options.bug):
                    show(options.bug, requirement, explored(options.bug, requirement, folder))
            else:
                table(options.json, folder, options.real)
        except NotHere as error:
            sys.exit(f"wild: {error}")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python examples/wild", description=__doc__.partition("\n")[0])
    parser.add_argument("bug", nargs="?", choices=BUGS, help="one of the programs")
    parser.add_argument("version", nargs="?", metavar="PACKAGE==VERSION", help="explore it with this version alone")
    parser.add_argument("--folder", help="where the packages are, or are installed; by default a temporary folder")
    parser.add_argument("--json", metavar="FILE", help="write the reports of all bugs into a file")
    parser.add_argument("--real", type=int, default=1000, metavar="N", help="runs on real threads; default 1000")
    return parser.parse_args()


def requirements(bug: str) -> list[str]:
    """The version before the fix and the one after it, or the one that is current."""
    entry = BUGS[bug]
    if "standard" in entry:
        return [f"Python {sys.version.split()[0]}"]
    return [f"{entry['package']}=={entry[which]}" for which in ("before", "after", "version") if which in entry]


def installed(bug: str, requirement: str, folder: Path) -> Path:
    """The folder that has this version of the package."""
    if "standard" in BUGS[bug]:
        return copied(folder, BUGS[bug]["standard"], BUGS[bug].get("without"))
    target = folder / requirement
    if not target.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(dir=folder))
        command = installer(["install", "--quiet", "--target", str(new), requirement])
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=INSTALL_S, check=False)
        except subprocess.TimeoutExpired:
            raise NotHere(f"{requirement} was not installed within {INSTALL_S} s") from None
        if done.returncode:
            raise NotHere(f"{requirement} can't be installed: {(done.stderr.strip() or 'no reason').splitlines()[-1]}")
        with suppress(OSError):  # another process was faster
            new.rename(target)
        shutil.rmtree(new, ignore_errors=True)
    return target


def copied(folder: Path, standard: str, left_out: str | None) -> Path:
    """The folder with a copy of a module of Python itself, `pure_NAME`, which can be explored: the original can't."""
    target = folder / f"pure_{standard}"
    target.mkdir(exist_ok=True)
    text = Path(find_spec(standard).origin).read_text()  # type: ignore[union-attr, arg-type]
    if left_out:
        text = re.sub(rf"^(\s+from )({left_out} import)", r"\1left_out\2", text, flags=re.MULTILINE)
    (target / f"pure_{standard}.py").write_text(text)
    return target


def installer(arguments: list[str]) -> list[str]:
    """The command that installs packages for this Python: pip if it has it, else uv, which the project can fetch."""
    if find_spec("pip"):
        return [sys.executable, "-m", "pip", *arguments, "--disable-pip-version-check"]
    verb, *rest = arguments
    if shutil.which("uv"):
        return ["uv", "pip", verb, "--python", sys.executable, *rest]
    return ["sh", "-euc", FETCHED_UV, verb, "--python", sys.executable, *rest]


def explored(bug: str, requirement: str, folder: Path) -> Any:
    """Explore the program with this version in a process of its own; return the report as JSON has it."""
    where = installed(bug, requirement, folder)
    command = ["-m", "concmodels.explore", f"{bug}.py", "--json", "-"]
    for option, key in (("--packages", "explored"), ("--seconds", "seconds")):
        if key in BUGS[bug]:
            command += [option, str(BUGS[bug][key])]
    done = run(command, where, EXPLORE_S)
    if done.returncode not in (0, 1) or not done.stdout:
        raise NotHere(f"{requirement} can't be explored: {done.stderr.strip()}")
    (report,) = json.loads(without(where, done.stdout))
    report["text"] = without(where, done.stderr)
    return report


def failed(bug: str, requirement: str, folder: Path, times: int) -> int:
    """Return how often the program has failed on real threads."""
    more = [BUGS[bug].get("explored", "")] if BUGS[bug].get("fresh") else []
    done = run(["real.py", bug, str(times), *more], installed(bug, requirement, folder), REAL_S)
    if done.returncode:
        raise NotHere(f"{bug} can't be run: {done.stderr.strip().splitlines()[-1]}")
    return int(done.stdout)


def without(where: Path, text: str) -> str:
    """A text in which files of this folder have short names."""
    return text.replace(os.path.relpath(where, HERE) + os.sep, "").replace(f"{where}{os.sep}", "")


def run(arguments: list[str], where: Path, seconds: float) -> subprocess.CompletedProcess[str]:
    """Run Python where this version of the package is found first."""
    ours = os.environ | {"PYTHONPATH": os.pathsep.join([str(where), str(ROOT)])}
    return subprocess.run(
        [sys.executable, "-W", "ignore", *arguments], cwd=HERE, env=ours, capture_output=True, text=True,
        timeout=seconds, check=False,
    )  # fmt: skip


def show(bug: str, requirement: str, report: Any) -> None:
    print(f"{bug} with {requirement}, {report['seconds']:.1f} s\n{report['text']}")


def table(file: str | None, folder: Path, times: int) -> None:
    """Explore all bugs, and print a line for each version."""
    rows: list[dict[str, object]] = []
    for bug in BUGS:
        reports: list[dict[str, object]] = []
        for requirement in requirements(bug):
            report = explored(bug, requirement, folder)
            real = failed(bug, requirement, folder, times)
            print(f"{bug:26}{requirement:24}{real:5} of {times}  {verdict(report)}", flush=True)
            reports.append({"requirement": requirement, "real": real, "times": times, **kept(report)})
        rows.append({"bug": bug, "reports": reports})
    if file:
        told = {"python": sys.version.split()[0], "bugs": rows}
        Path(file).write_text(json.dumps(told, indent=1) + "\n")


def kept(report: Any) -> dict[str, Any]:
    """What of a report is kept: its figures, the failure without its steps, and what was printed."""
    told = {name: report[name] for name in ("verdict", "schedules", "in_all", "seconds", "unseen", "text")}
    failure = report["failure"]
    return told | {"failure": failure and {name: failure[name] for name in ("error", "place", "found_at", "replay")}}


def verdict(report: Any) -> str:
    """A report in a few words: `broken at 8, 3.14-4f156a-a-16@2`."""
    if report["failure"]:
        return f"broken at {report['failure']['found_at']}, {report['failure']['replay']}"
    if report["in_all"] is not None:
        return f"held in all {report['in_all']}"
    return f"held so far ({report['unseen'][0] if report['unseen'] else 'no time for more'})"


if __name__ == "__main__":
    main()
