"""A chart: what it is called, what it says, and how it is drawn in each of the four looks."""

import io
import re
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from benchmarks.report.look import LIGHT, Look
from benchmarks.report.sheet import Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from benchmarks.result import Results, Row


@dataclass(frozen=True)
class Chart:
    """One picture, with the texts that belong to it."""

    name: str
    """As part of a file's name: `ring-stream`."""
    title: str
    """What it is about, for lists of charts."""
    takeaway: str
    """What one should remember of it, in a sentence without a full stop. Like `alt` it comes from the result."""
    alt: str
    """The alternative text: what there is to see, for those who don't see it."""
    command: str
    """What measures these figures again."""
    draw: Callable[[Look], Figure] | None
    """None if it is a table alone."""
    sheet: Sheet
    """The figures as a table."""
    note: str = ""
    """What one has to know to read it; most need nothing."""

    def svg(self, look: Look = LIGHT) -> str:
        """Return the picture as SVG, which depends only on the figures; its words are text."""
        file = io.StringIO()
        self._save(look, file, format="svg", metadata={"Date": None, "Creator": None, "Title": self.takeaway})
        return slim(file.getvalue()).replace("<svg ", f'<svg role="img" aria-label="{escape(self.alt)}" ', 1)

    def svgs(self) -> dict[Look, str]:
        """Return all four pictures; a dark one is not drawn where it is the light one in other colours."""
        from benchmarks.report.canvas import in_the_dark

        found = {}
        for narrow in (False, True):
            light, dark = Look(narrow=narrow), Look(dark=True, narrow=narrow)
            found[light] = self.svg(light)
            found[dark] = in_the_dark(found[light]) or self.svg(dark)
        return found

    def png(self, look: Look = LIGHT) -> bytes:
        """Return the picture as PNG, at twice its size on a page."""
        file = io.BytesIO()
        self._save(look, file, format="png", dpi=192, metadata={"Software": None})
        return file.getvalue()

    def _save(self, look: Look, file: Any, **how: Any) -> None:
        from benchmarks.report.canvas import styled

        assert self.draw, f"{self.name} is a table, and has no picture"
        with styled(look):
            figure = self.draw(look)
            figure.savefig(file, facecolor=figure.get_facecolor(), **how)


def table(
    name: str, title: str, takeaway: str, results: Results, rows: Iterable[Row], sheet: Sheet, note: str = ""
) -> Chart:
    """Return a chart whose table says it as well as a picture would."""
    return Chart(name, title, takeaway, f"{takeaway}.", command_for(results, rows), None, sheet, note)


MANY = 8
"""Of more cells nobody wants to read the names."""
SUPERFLUOUS = re.compile(
    r""" id="(?![mp][0-9a-f]{10}")[^"]*"        # names that nothing refers to, the same in every picture
    | [ ]transform="rotate\(-0[ ][^"]*"         # turned by nothing
    | \n[ ]*<metadata>.*?</metadata>
    | (?<=>)\n[ ]*(?=<)
    """,
    re.VERBOSE | re.DOTALL,
)
FONTS = re.compile('font-family: [^;"]*;')


def slim(text: str) -> str:
    """Return the same SVG with a third less text, because several stand in one page."""
    text = FONTS.sub("font-family: 'DejaVu Sans', Verdana, sans-serif;", text)
    return SUPERFLUOUS.sub("", text[text.index("<svg ") :])


@dataclass(frozen=True)
class Absent:
    """A chart for which the result has no figures; `why` says what is missing."""

    title: str
    why: str


def command_for(results: Results, rows: Iterable[Row]) -> str:
    """Return the command that measures these rows again: by their cells, or by the suite where these are many."""
    cells: dict[str, dict[str, None]] = {}
    for row in rows:
        cells.setdefault(row.suite, {})[f"{row.suite}/{row.cell}"] = None
    paths = [path for suite, its in cells.items() for path in ([suite] if len(its) > MANY else its)]
    pythons = [it for tag in results.pythons if len(results.pythons) > 1 for it in ("--python", tag)]
    quick = ["--quick"] if results.about.get("quick") else []
    return shlex.join(["python", "-m", "benchmarks", "run", *paths, *pythons, *quick, "--output", "new.json"])
