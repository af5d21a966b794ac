"""A table of figures, which becomes Markdown or HTML."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from benchmarks.disturbance import marked
from benchmarks.report import words
from benchmarks.result import Results, Row

COSTS = {
    "setup": ("setup_s", words.duration),
    "CPU": ("cpu_s", words.duration),
    "memory (PSS)": ("peak_pss_bytes", words.size),
    "context switches": ("switches", words.plain),
    "speed-up": ("speedup", words.plain),
}
"""What a run of one of the programs has told beside its time."""
SUMS = {"cpu_s": ("cpu_user_s", "cpu_system_s"), "switches": ("voluntary_switches", "involuntary_switches")}


@dataclass(frozen=True)
class Sheet:
    """A table: its head, its lines, and how many of the first columns are text."""

    head: list[str]
    lines: list[list[str]]
    left: int = 1

    def markdown(self) -> str:
        """Return the table in Markdown, for the README and the docs."""
        ruler = ["---"] * self.left + ["---:"] * (len(self.head) - self.left)
        lines = [[cell.replace("|", "\\|") for cell in line] for line in (self.head, ruler, *self.lines)]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)

    def html(self) -> str:
        """Return the table in HTML, for the page."""
        head = f"<tr>{''.join(f'<th scope="col"{self._side(n)}>{escape(it)}</th>' for n, it in enumerate(self.head))}"
        lines = "".join(f"<tr>{''.join(self._cells(line))}</tr>\n" for line in self.lines)
        table = f"<table>\n<thead>{head}</tr></thead>\n<tbody>\n{lines}</tbody></table>"
        return f'<div class="wide" role="region" aria-label="figures" tabindex="0">{table}</div>'  # scrolls by keyboard

    def _cells(self, line: list[str]) -> Iterable[str]:
        yield f'<th scope="row">{escape(line[0])}</th>'
        for number, cell in enumerate(line[1:], 1):
            yield f"<td{self._side(number)}>{escape(cell)}</td>"

    def _side(self, column: int) -> str:
        return "" if column < self.left else ' class="number"'

    def without_empty(self) -> Sheet:
        """Return the table without columns that are empty."""
        kept = [n for n in range(len(self.head)) if n < self.left or any(line[n] for line in self.lines)]
        return Sheet([self.head[n] for n in kept], [[line[n] for n in kept] for line in self.lines], self.left)


def of_rows(results: Results, rows: list[Row]) -> Sheet:
    """Return a table of the rows of one cell: their times, the baselines', and the other figures of the programs."""
    step = rows[0].step
    head = ["", f"{step}s per second", f"time per {step}", "from", "to", "rounds", "by hand", *COSTS]
    return Sheet(head, [line_of(results, row) for row in rows]).without_empty()


def line_of(results: Results, row: Row) -> list[str]:
    """Return the line of one row."""
    baseline = baseline_of(results, row)
    return [
        marked(row.candidate, row),
        words.rate(row.per_second),
        *(words.duration(it) for it in (row.median, row.least, row.most)),
        str(len(row.seconds)),
        words.duration(baseline.median) if baseline and row.kind == "model" else "",
        *(cost(row, figure, write) for figure, write in COSTS.values()),
    ]


def cost(row: Row, figure: str, write: object) -> str:
    """Return one of the other figures as text; an empty text if the row does not have it."""
    found = figure_of(row, figure)
    return "" if found is None or not callable(write) else str(write(found))


def figure_of(row: Row, name: str) -> float | None:
    """Return the median of a figure, or the sum of the figures that it consists of."""
    parts = [row.figure(part) for part in SUMS.get(name, (name,))]
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def baseline_of(results: Results, row: Row) -> Row | None:
    """Return the row of the hand-written program for the same work, if it was measured."""
    return results.row(row.suite, row.cell, f"baseline {row.model}", row.python)
