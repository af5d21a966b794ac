"""The explorers side by side, in tables: schedules until the first failure, schedules per second, and proofs."""

from collections.abc import Callable, Iterator

from benchmarks.report import words
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row

SUITE = "explore"
HEADS = {
    "explore": "ours",
    "interleave-test random": "interleave-test, random",
    "interleave-test pct": "interleave-test, PCT",
    "interleave-test dfs": "interleave-test, DFS",
    "frontrun dpor": "frontrun, DPOR",
    "frontrun random": "frontrun, random",
    "ploom": "ploom",
    "real threads": "real threads",
}
"""The columns: candidates, and what stands above them."""

NOT_THERE = "—"


def tables(results: Results) -> Iterator[tuple[str, Sheet]]:
    """Yield the tables by name, if the suite was measured."""
    if SUITE in results.suites:
        yield "explorers-found", by_bug(results, first_failure)
        yield "explorers-speed", by_bug(results, lambda row: words.rate(row.per_second))
        yield "explorers-proofs", proofs(results)


def by_bug(results: Results, cell: Callable[[Row], str]) -> Sheet:
    """Return a table with a line for each bug and a column for each tool."""
    lines = []
    for bug in results.cells(SUITE):
        rows = [results.row(SUITE, bug, tool) for tool in HEADS]
        lines.append([bug.replace("_", " "), *(NOT_THERE if row is None else cell(row) for row in rows)])
    return Sheet(["", *HEADS.values()], lines)


def first_failure(row: Row) -> str:
    """Return the number of the first schedule that failed, or what was found instead."""
    number, tried = row.figure("first_failure"), row.figure("tried")
    if number is not None:
        return f"{number:,.0f}"
    if row.figure("no_verdict"):
        return "no verdict"
    return "none" if tried is None else f"none in {tried:,.0f}"


def proofs(results: Results) -> Sheet:
    """Return what the explorers that try all schedules say of the fixed twins."""
    lines = []
    for bug in results.cells(SUITE):
        ours, ploom = (results.row(SUITE, bug, tool) for tool in ("explore", "ploom"))
        lines.append([bug.replace("_", " "), *proof(ours), ploom_proof(ploom)])
    return Sheet(["", "schedules in all", "time", "ploom, in 20 s"], lines)


def proof(row: Row | None) -> list[str]:
    """Return how many schedules there are in all, and how long it took to run them."""
    number, seconds = (row and row.figure(name) for name in ("schedules_in_all", "complete_s"))
    if number is None or seconds is None:
        return [NOT_THERE, NOT_THERE]
    return [f"{number:,.0f}", words.duration(seconds)]


def ploom_proof(row: Row | None) -> str:
    """Return what ploom says, which counts other steps."""
    if row is None:
        return NOT_THERE
    ran = f"{row.figure('ran') or 0:,.0f}"
    return f"all {ran}" if row.figure("complete") else f"not all, {ran}"
