"""The results that every figure on the site comes from, and how their numbers are written."""

import functools
import os
from pathlib import Path

from benchmarks.result import BadResult, Results, Row, read
from concdocs.places import ROOT, Mistake, NotMeasured

FOLDER = ROOT / "benchmarks" / "results"
FILES = {
    "": ("CONCMODELS_RESULT", FOLDER / "full.json"),
    "twins": ("CONCMODELS_TWINS_RESULT", FOLDER / "full-free-threaded.json"),
    "explorers": ("CONCMODELS_EXPLORERS_RESULT", FOLDER / "explorers.json"),
    "paradigms": ("CONCMODELS_PARADIGMS_RESULT", FOLDER / "paradigms.json"),
    "certainty": ("CONCMODELS_CERTAINTY_RESULT", FOLDER / "certainty.json"),
    "shapes": ("CONCMODELS_SHAPES_RESULT", FOLDER / "shapes.json"),
    "scale": ("CONCMODELS_SCALE_RESULT", FOLDER / "scale.json"),
    "web": ("CONCMODELS_WEB_RESULT", FOLDER / "web.json"),
    "web-twins": ("CONCMODELS_WEB_TWINS_RESULT", FOLDER / "web-free-threaded.json"),
}
"""By the name before a row or a chart: the variable that may name another file, and the committed one."""
OPTIONAL = {
    "shapes": ("shapes", "shapes"),
    "scale": ("scale", "more processors"),
    "web": ("web", "web services"),
    "web-twins": ("web", "web services"),
}
"""The results that pages can do without, the suite that they are read for, and what that is about."""


def split(text: str) -> tuple[str, str]:
    """Split `twins:REST` into the name of a result and the rest; the name is empty where there is none."""
    name, colon, rest = text.strip().partition(":")
    return (name, rest) if colon and name in FILES else ("", text.strip())


def path(name: str = "") -> Path:
    """The committed result of this name, or the one that the environment names."""
    variable, committed = FILES[name]
    return Path(os.environ.get(variable) or committed)


def results(name: str = "") -> Results:
    """Read it, once. Raises `Mistake` if there is none, and `NotMeasured` if that is one that pages can do without."""
    if name in OPTIONAL and not path(name).exists():
        raise NotMeasured(f"There is no result of {OPTIONAL[name][1]} here: {name_on_page(name)} is missing")
    try:
        found = read_once(path(name))
    except BadResult as error:
        raise Mistake(f"there is no measured result: {error}; {FILES[name][0]} may name another file") from None
    if name in OPTIONAL and OPTIONAL[name][0] not in found.suites:
        raise NotMeasured(f"{name_on_page(name)} has no result of {OPTIONAL[name][1]}")
    return found


def name_on_page(name: str) -> str:
    """The file of a result as a page names it: from the project's folder, or alone."""
    file = path(name)
    return file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else file.name


def not_there(name: str, why: str) -> Exception:
    """The exception for something that this result has not: a mistake, but in one that pages can do without."""
    return (NotMeasured if name in OPTIONAL else Mistake)(why)


@functools.cache
def read_once(file: Path) -> Results:
    """Read a result; all later calls return the same one. Raises `BadResult`."""
    return read(file)


def row(name: str) -> Row:
    """The row SUITE/CELL/CANDIDATE, or SUITE/CELL/CANDIDATE@PYTHON, with `twins:` before it where it is one of the
    other result. Raises `Mistake` if it was not measured, or `NotMeasured`."""
    file, wanted = split(name)
    place, _, python = wanted.partition("@")
    parts = place.split("/", 2)
    if len(parts) != 3:
        raise Mistake(f"{name!r} names no row: it is SUITE/CELL/CANDIDATE, as in ring/stream/threads")
    found = results(file).row(*parts, python or None)
    if found is None:
        raise not_there(file, f"{path(file).name} has no row {wanted}; it has {_near(results(file), *parts[:2])}")
    return found


def _near(known: Results, suite: str, cell: str) -> str:
    """The names that are there instead."""
    if suite not in known.suites:
        return f"the suites {', '.join(known.suites)}"
    if cell not in known.cells(suite):
        return f"in {suite} the cells {', '.join(known.cells(suite))}"
    return f"in {suite}/{cell} the candidates {', '.join(row.candidate for row in known.of(suite, cell))}"


def duration(seconds: float) -> str:
    """A time with two or three digits that count: 62 ns, 2.3 µs, 48 ms."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size * 0.9995:
            return f"{digits(seconds / size)} {unit}"
    return f"{digits(seconds * 1e9)} ns"


def amount(size: float) -> str:
    """Bytes, in the unit that fits."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= factor:
            return f"{digits(size / factor)} {unit}"
    return f"{size:,.0f} bytes"


def digits(value: float) -> str:
    """Two digits below ten, else whole: 2.3, 48, 1,234."""
    return f"{value:.1f}" if value < 9.95 else f"{value:,.0f}"


def figure(name: str, value: float) -> str:
    """One of the other numbers of a row, with the unit that its name tells."""
    if name.endswith("_s"):
        return duration(value)
    if "bytes" in name:
        return amount(value)
    return digits(value) if value < 1000 and value != int(value) else f"{value:,.0f}"
