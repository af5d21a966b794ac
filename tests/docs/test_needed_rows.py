"""Nothing is measured that no page needs: every row of the suites is in a sentence, a table or a goal.

A measurement costs minutes of a quiet machine. What a page shows is told by its own text: the rows of its figures, and
for its charts the command that measures them again. What is shown nowhere is not measured.
"""

import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "_ext"))
pytest.importorskip("sphinx")

from benchmarks import goals, readme, report, suites  # noqa: E402 - what follows the path is found only now
from benchmarks.__main__ import chosen, parser  # noqa: E402
from benchmarks.all_files import FILES  # noqa: E402
from benchmarks.cell import Candidate  # noqa: E402
from benchmarks.result import Row  # noqa: E402
from concdocs import charts, results, web_tables  # noqa: E402
from concmodels import catalog  # noqa: E402

PAGES = [path for path in sorted((ROOT / "docs").rglob("*.md")) if "_ext" not in path.parts]
ROLE = re.compile(r"\{(?:measured|ratio)\}`([^`|\\]*)")
BLOCK = re.compile(r"^[`:]{3,}\{(chart|result-table|bars|machines|claims)\} (\S+)$", re.MULTILINE)
OF_TABLES = {
    "goals": {"/".join(path.split("/")[:2]) for path in goals.paths()},
    "web-summary": {f"web/{cell}" for cell in web_tables.PLAIN},
    "left-out": set(),
    "web-quiet": set(),
}
"""The cells of tables that are no chart's; the last two say something of all cells, and need none."""
FAMILIES = {
    "web-stack-ends": ("web/workers-",),
    "web-stack-gone": ("web/workers-",),
    "web-granian-cells": ("web/granian", "web/threads-"),
    "explorers-found": ("explore/",),
    "explorers-speed": ("explore/",),
    "explorers-proofs": ("explore/",),
    "async": ("web/workers-", "web/delay-"),
    "gil-free": ("web/granian", "web/threads-"),
    "certainty": ("certainty/",),
    "scale-pool": ("scale/pool",),
    "scale-ring": ("scale/ring",),
    "scale-amdahl": ("scale/pool",),
}
"""Tables, claims and one chart of all rows of all cells whose names begin so."""
ALL = "all rows"
type Shown = dict[str, str]
"""By cell, RESULT:SUITE/CELL, or by the beginning of its name and a star: the text of what shows its rows, or `ALL`."""


def rows_of(text: str) -> set[str]:
    """The rows that a page names, RESULT:SUITE/CELL/CANDIDATE."""
    names = {row for both in ROLE.findall(text) for row in both.split(" / ")}
    return {f"{name}:{row.partition('@')[0].strip()}" for name, row in map(results.split, names)}


def all_rows() -> set[str]:
    """The rows that pages, the README and goals name."""
    found = set().union(*(rows_of(path.read_text()) for path in PAGES))
    return found | {f"twins:{path}" for path, _ in readme.FREE_THREADED.values()} | {f":{it}" for it in goals.paths()}


def shown_in(text: str) -> Iterator[tuple[str, str]]:
    """The cells that are shown in the blocks of a page, and the text that has the names of their rows."""
    for kind, argument in BLOCK.findall(text):
        name, wanted = results.split(argument)
        if kind in ("bars", "machines"):
            yield f"{name}:{wanted}", ALL
        elif wanted in OF_TABLES:
            yield from ((f"{name}:{cell}", ALL) for cell in OF_TABLES[wanted])
        elif wanted in FAMILIES:
            yield from ((f"{name}:{beginning}*", ALL) for beginning in FAMILIES[wanted])
        else:
            yield from ((f"{name}:{cell}", table) for cell, table in of_chart(argument))


def of_chart(argument: str) -> Iterator[tuple[str, str]]:
    """The cells of a chart, which are those of the command that measures it again, and its table."""
    _, drawn = charts.named_chart(argument)
    for word in shlex.split(drawn.command)[4:]:
        if "/" in word or word in suites.SUITES:
            yield (word if "/" in word else f"{word}/*"), drawn.sheet.markdown()


def shown() -> Shown:
    """What all pages and the README show."""
    found = {f"web:web/{cell}": ALL for cell in ("json", "tail", "idle")}
    for path in PAGES:
        for cell, table in shown_in(path.read_text()):
            found[cell] = found.get(cell, "") + table
    return found


def is_shown(name: str, it: Candidate, everything: Shown) -> bool:
    """Whether a table has this row; a baseline has a column for what is by hand."""
    cell = f"{name}:{it.suite}/{it.cell}"
    text = "".join(its for of, its in everything.items() if of == cell or (of[-1] == "*" and cell.startswith(of[:-1])))
    return ALL in text or it.name in text or (it.kind == "baseline" and "by hand" in text)


def candidates() -> dict[str, list[Candidate]]:
    """What `python -m benchmarks all` measures, by the name of the result."""
    lines = {name: ["run", *FILES[file.name][1]] for name, (_, file) in results.FILES.items()}
    return {name: chosen(parser().parse_args(line)) for name, line in lines.items()}


def measured(name: str) -> list[Row]:
    """The rows of the committed result of this name; none if there is none."""
    return results.results(name).rows if results.path(name).exists() else []


def test_every_row_that_is_measured_is_needed_by_a_page():
    named, everything = all_rows(), shown()
    for name, found in candidates().items():
        known = {f"{row.suite}/{row.cell}/{row.candidate}" for row in measured(name)}
        needed = {it.path for it in found if f"{name}:{it.path}" in named or is_shown(name, it, everything)}
        superfluous = {it.path for it in found if it.kind != "past"} & known - needed
        assert superfluous == set(), name


def test_every_row_that_a_page_names_is_measured():
    known = {f"{name}:{it.path}" for name, found in candidates().items() for it in found}
    named = all_rows()
    assert len(named) > 200 and named - known == set()


def test_every_chart_and_table_of_a_page_is_drawn_from_what_is_measured():
    blocks = [
        (kind, *results.split(argument))
        for path in PAGES
        for kind, argument in BLOCK.findall(path.read_text())
        if kind in ("chart", "result-table")
    ]
    for name, found in candidates().items():
        if not results.path(name).exists():
            continue
        paths, known = {it.path for it in found}, results.results(name)
        rows = [row for row in known.rows if f"{row.suite}/{row.cell}/{row.candidate}" in paths]
        some = replace(known, rows=rows)
        drawn = {it.name for it in report.charts(some)}
        drawn |= {f"{model}/{it.name}" for model in catalog.names() for it in report.model_charts(some, model)}
        tables = {*report.tables(some), *web_tables.tables(some), "left-out"}
        wanted = {(kind, it) for kind, of, it in blocks if of == name}
        missing = {(kind, it) for kind, it in wanted if it not in (drawn if kind == "chart" else tables)}
        assert missing == set(), name


def test_what_is_needed_is_told_from_what_is_not():
    text = "{measured}`twins:gil/loops/one loop@3.14t|spread` {ratio}`ring/token/trio / ring/stream/trio`"
    assert rows_of(text) == {"twins:gil/loops/one loop", ":ring/token/trio", ":ring/stream/trio"}
    ((cell, table),) = of_chart("ring-bounded")
    trio, baseline = (
        Candidate(f"ring/{cell}/{name}", "", kind=kind, model="trio", steps=1, step="hop", sizes={})
        for cell, name, kind in (("bounded", "trio", "model"), ("stream", "baseline trio", "baseline"))
    )
    assert cell == "ring/bounded" and is_shown("", trio, {f":{cell}": table})
    assert not is_shown("", trio, {":ring/stream": ALL}) and not is_shown("web", trio, {f":{cell}": table})
    assert is_shown("", baseline, {":ring/*": "by hand"}) and not is_shown("", baseline, {":ring/stream": "trio"})
