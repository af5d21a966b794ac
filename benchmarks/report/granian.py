"""Web services with the GIL and without it: an article's table, measured again, and its ratios beside ours."""

from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.disturbance import calm
from benchmarks.report import words
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.rows import Entry, dot, drawing, ratio_panel
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row
from benchmarks.rounds import Interval, compared

WITH, WITHOUT = "3.14", "3.14t"
TITLE = "Granian without the GIL: answers per second, against Granian with it"
NAME = "web-granian"


class Line(NamedTuple):
    """One configuration of the server: what it does under both Pythons, and what it did in the article."""

    cell: str
    name: str
    now: dict[str, Row]
    then: dict[str, Row]

    @property
    def ratio(self) -> Interval | None:
        """The answers without the GIL over those with it; None if that was not measured.

        Rounds that other work disturbed do not count where there are others.
        """
        without, its_twin = self.now.get(WITHOUT), self.now.get(WITH)
        if without is None or its_twin is None:
            return None
        return compared(*calm(without, its_twin)) or compared(without, its_twin)

    @property
    def past_ratio(self) -> float | None:
        """The article's ratio, if it has both."""
        both = self.then.get(WITHOUT), self.then.get(WITH)
        return both[0].per_second / both[1].per_second if both[0] and both[1] else None


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the chart of the ratios; a result without any of these servers has neither it nor a reason."""
    found = lines(results)
    if not found:
        return
    compared = [line for line in found if line.ratio]
    if not compared:
        yield Absent(TITLE, f"not measured under both (`--python {WITH} --python {WITHOUT}` has both)")
        return
    rows = [row for line in compared for row in line.now.values()]
    below = f"answers on {WITHOUT} for one on {WITH} (log)"
    draw = drawing([ratio_panel(dots(compared), below)], {"then": "then, on 8 cores"})
    yield Chart(NAME, TITLE, takeaway(compared), alt_text(compared), command_for(results, rows), draw, sheet(found))


def lines(results: Results) -> list[Line]:
    """Return the configurations in the order of the suite."""
    found: dict[tuple[str, str], Line] = {}
    for row in results.rows:
        if row.suite != "web" or row.parameters.get("server") != "granian":
            continue
        is_past = row.kind == "past"
        python = str(row.parameters["python"]) if is_past else row.python
        key = row.cell, row.candidate.removesuffix(f" on {python}") if is_past else row.candidate
        line = found.setdefault(key, Line(*key, {}, {}))
        (line.then if is_past else line.now)[python] = row
    return [line for line in found.values() if line.now]


def dots(compared: list[Line]) -> list[Entry]:
    """Return a dot for each configuration, in groups by cell."""
    return [
        dot(line.cell, line.name, line.ratio, line.now[WITH].model, then=line.past_ratio)
        for line in sorted(compared, key=place)
        if line.ratio
    ]


def place(line: Line) -> tuple[str, int]:
    """Return where the cell of a configuration stands: those of a sweep in the order of their numbers."""
    name, _, number = line.cell.partition("threads-")
    return (name, 0) if not number else ("threads-", int(number))


def takeaway(compared: list[Line]) -> str:
    """Say between which ratios the servers lie."""
    medians = [line.ratio.median for line in compared if line.ratio]
    part = words.span(medians, "{:.0%}".format)
    return f"Without the GIL Granian gives {part} of the answers per second that the same service gives with it"


def alt_text(compared: list[Line]) -> str:
    """Say where the GIL matters most, and what the article has there."""
    found = sorted((line for line in compared if line.past_ratio), key=lambda line: both_ratios(line)[0] or 0)
    if not found:
        return "The article has no ratio for any of these."
    least, most = found[0], found[-1]
    now, then = ([words.as_many(it or 0) for it in pair] for pair in zip(*map(both_ratios, (least, most)), strict=True))
    names = [name_of(it) for it in (least, most)]
    return (
        f"Without the GIL {names[0]} gives {now[0]} answers as with it, {names[1]} {now[1]}; in the article, on eight"
        f" cores, it was {then[0]} and {then[1]}."
    )


def both_ratios(line: Line) -> tuple[float | None, float | None]:
    """Return our ratio and the article's."""
    return line.ratio and line.ratio.median, line.past_ratio


def sheet(found: list[Line]) -> Sheet:
    """Return a table with all configurations: answers per second and the ratio, now and then."""
    head = ["", f"{WITH}, a second", f"{WITHOUT}, a second", "ratio", f"then: {WITH}", WITHOUT, "ratio then"]
    return Sheet(head, [cells(line) for line in found])


def cells(line: Line) -> list[str]:
    """Return one line of that table."""
    ratio, past = ("" if it is None else words.plain(it) for it in both_ratios(line))
    return [
        name_of(line),
        rate(line.now, WITH),
        rate(line.now, WITHOUT),
        ratio,
        rate(line.then, WITH),
        rate(line.then, WITHOUT),
        past,
    ]


def name_of(line: Line) -> str:
    """Return the name of a configuration, which its cell is a part of in a sweep."""
    return f"{line.name}, {line.cell.partition('-')[2]} threads" if line.cell.startswith("threads-") else line.name


def rate(rows: dict[str, Row], python: str) -> str:
    """Return the answers per second under a Python."""
    return words.rate(rows[python].per_second) if python in rows else ""
