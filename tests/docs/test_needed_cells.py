"""Nothing is measured that no page needs: every cell of the suites is named by a page, a table or a goal.

A measurement costs minutes of a quiet machine. What a page shows is told by its own text: the rows of its figures, and
for its charts the command that measures them again. What is shown nowhere is not measured.
"""

import re
import shlex
import sys
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
    "web-stack-ends": "web/workers-",
    "web-stack-gone": "web/workers-",
    "web-granian-cells": "web/granian",
    "explorers-found": "explore/",
    "explorers-speed": "explore/",
    "explorers-proofs": "explore/",
    "async": "web/",
    "gil-free": "web/",
}
"""Tables and claims of all cells whose names begin so."""


def cell_of(row: str) -> str:
    """SUITE/CELL of a row or a cell, with its result before it where that has a name."""
    name, place = results.split(row)
    return f"{name}:{'/'.join(place.split('/')[:2])}"


def of_page(text: str) -> set[str]:
    """The cells that a page names, RESULT:SUITE/CELL."""
    found = {cell_of(row) for both in ROLE.findall(text) for row in both.split(" / ")}
    for kind, argument in BLOCK.findall(text):
        name, wanted = results.split(argument)
        if kind in ("bars", "machines"):
            found.add(cell_of(argument))
        elif wanted in OF_TABLES:
            found |= {f"{name}:{cell}" for cell in OF_TABLES[wanted]}
        elif wanted in FAMILIES:
            found |= {f"{name}:{FAMILIES[wanted]}*"}
        else:
            found |= {f"{name}:{cell}" for cell in of_chart(argument)}
    return found


def of_chart(argument: str) -> set[str]:
    """The cells of a chart: those of the command that measures it again."""
    _, drawn = charts.named(argument)
    asked = shlex.split(drawn.command)[4:]
    return {word for word in asked if "/" in word} | {f"{word}/*" for word in asked if word in suites.SUITES}


def of_readme() -> set[str]:
    """The cells of the README's tables and of its picture."""
    both = {f"twins:{'/'.join(path.split('/')[:2])}" for path, _ in readme.FREE_THREADED.values()}
    return both | {":ring/stream", ":ring/token"} | {f"web:web/{cell}" for cell in ("json", "tail", "idle")}


def is_needed(cell: str, needed: set[str]) -> bool:
    return cell in needed or any(it.endswith("*") and cell.startswith(it[:-1]) for it in needed)


def candidates() -> dict[str, list[Candidate]]:
    """What `python -m benchmarks all` measures, by the name of the result."""
    lines = {name: ["run", *FILES[file.name][1]] for name, (_, file) in results.FILES.items()}
    return {name: chosen(parser().parse_args(line)) for name, line in lines.items()}


def measured() -> dict[str, set[str]]:
    """The cells of these."""
    return {name: {f"{name}:{it.suite}/{it.cell}" for it in found} for name, found in candidates().items()}


def test_every_cell_that_is_measured_is_needed_by_a_page():
    needed = of_readme().union(*(of_page(path.read_text()) for path in PAGES))
    for name, cells in measured().items():
        known = (
            {f"{name}:{row.suite}/{row.cell}" for row in results.results(name).rows}
            if results.path(name).exists()
            else set()
        )
        superfluous = {cell for cell in cells & known if not is_needed(cell, needed)}
        assert superfluous == set(), name


def test_every_row_that_a_page_names_is_measured():
    known = {f"{name}:{it.path}" for name, found in candidates().items() for it in found}
    rows = {row for path in PAGES for both in ROLE.findall(path.read_text()) for row in both.split(" / ")}
    rows |= {f"twins:{path}" for path, _ in readme.FREE_THREADED.values()} | goals.paths()
    named = {f"{name}:{row.partition('@')[0].strip()}" for name, row in map(results.split, rows)}
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
    assert of_page(text) == {"twins:gil/loops", ":ring/token", ":ring/stream"}
    assert "ring/bounded" in of_chart("ring-bounded")
    assert not is_needed("web:web/idle", {"web:web/workers-*"}) and is_needed(
        "web:web/workers-1", {"web:web/workers-*"}
    )
