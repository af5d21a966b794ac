"""The card of a page: the picture that is shown where somebody sends a link to it.

It has the page's title and its first chart under what one should remember of that; a page without a chart has its
description instead. A card depends on nothing else, so builds are the same twice, and it is kept in `build/` until what
it comes from changes.
"""

import functools
import hashlib
import io
import os
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.report.canvas import DAY, styled
from benchmarks.report.look import LIGHT
from concdocs.places import ROOT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CACHE = ROOT / "build" / "docs-cards"
WIDTH, HEIGHT = 1200, 630
"""What the places that show cards ask for, in pixels."""
PER_INCH = 100
MARGIN, EDGE = 60, 28
"""Beside words, and beside charts."""
BRAND, OTHER = "#00607a", "#d9622b"
LOGO = 60
RING = ((16, 5.5), (26, 12.8), (22.2, 24.5), (9.8, 24.5), (6, 12.8))
"""The tasks of favicon.svg; a message is at the last of them."""
LETTER = {"bold": 0.62, "normal": 0.52}
"""How wide a letter is on average: parts of its height."""
COLUMN = 430
"""How wide the words are beside a chart; above one they are as wide as the card."""
FLAT = 0.55
"""How high a chart under its words may be, as a part of its width; a higher one is put beside them."""
MOST = 1.25
"""How many times as large as on a page a chart becomes at most."""


def card(title: str, text: str, drawn: Any = None, state: str = "") -> Path:
    """The file of a card with this title and text, and with a chart where there is one, whose `state` changes with its
    figures and with the code that draws."""
    key = "\n".join((_own_code(), title, text, f"{drawn.name} {state}" if drawn else ""))
    file = CACHE / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.png"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_suffix(f".{os.getpid()}")
        new.write_bytes(_png(title, text, drawn))
        new.replace(file)  # two builds may draw the same card
    return file


@functools.cache
def _own_code() -> str:
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


def _png(title: str, text: str, drawn: Any) -> bytes:
    file = io.BytesIO()
    with styled(LIGHT):
        figure = _frame()
        if drawn is None:
            below = _words(figure, 190, title, 66, "bold", BRAND)
            _words(figure, below + 30, text, 34, "normal", DAY.ink)
        else:
            _explain(figure, title, drawn)
        figure.savefig(file, format="png", dpi=PER_INCH, facecolor=DAY.page, metadata={"Software": None})
    return file.getvalue()


def _frame() -> Figure:
    """An empty card: a strip at the top, the ring, and the name of the site."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle, Rectangle

    figure = Figure(figsize=(WIDTH / PER_INCH, HEIGHT / PER_INCH), dpi=PER_INCH)
    figure.add_artist(Rectangle((0, 1 - 12 / HEIGHT), 1, 12 / HEIGHT, color=BRAND, linewidth=0))
    place = (MARGIN / WIDTH, 1 - (32 + LOGO) / HEIGHT, LOGO / WIDTH, LOGO / HEIGHT)
    axes = figure.add_axes(place, xlim=(0, 32), ylim=(32, 0))
    axes.set_axis_off()
    axes.add_patch(Circle((16, 16), 10.5, fill=False, edgecolor=BRAND, linewidth=2.5 * LOGO / 32 * 72 / PER_INCH))
    for at in RING:
        axes.add_patch(Circle(at, 4, color=OTHER if at == RING[-1] else BRAND, linewidth=0))
    _line(figure, MARGIN + LOGO + 12, 48, "concmodels", 28, "bold", DAY.soft)
    return figure


def _explain(figure: Figure, title: str, drawn: Any) -> None:
    """A chart with the page's title and what one should remember: under them if it is flat, else on their right."""
    chart = drawn.draw(LIGHT)
    wide, high = chart.get_size_inches()
    column = None if high <= FLAT * wide else COLUMN
    below = _words(figure, 108, title, 42, "bold", BRAND, column)
    below = _words(figure, below + 10, drawn.takeaway, 25, "normal", DAY.ink, column)
    left, top = (MARGIN, below + 18) if column is None else (MARGIN + column + EDGE, EDGE + 12)
    _add_chart(figure, chart, left, top, WIDTH - EDGE - left, HEIGHT - EDGE - top)


def _words(
    figure: Figure, top: float, text: str, size: float, weight: str, colour: str, wide: int | None = None
) -> float:
    """Write text from this height on, in as many lines as it needs; return where it ends."""
    letters = int((wide or WIDTH - 2 * MARGIN) / size / LETTER[weight])
    for line in textwrap.wrap(text, letters):
        _line(figure, MARGIN, top, line, size, weight, colour)
        top += size * 1.3
    return top


def _line(figure: Figure, left: float, top: float, text: str, size: float, weight: str, colour: str) -> None:
    how = {"fontsize": size * 72 / PER_INCH, "fontweight": weight, "color": colour, "va": "top", "parse_math": False}
    figure.text(left / WIDTH, 1 - top / HEIGHT, text, **how)


def _add_chart(figure: Figure, chart: Figure, left: float, top: float, width: float, height: float) -> None:
    """Put a chart into the middle of this place, as large as fits: drawn at that size, and not scaled."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    wide, high = chart.get_size_inches()
    chart.set_dpi(min(width / wide, height / high, MOST * chart.dpi))
    canvas = FigureCanvasAgg(chart)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())
    across, down = (int(free - it) // 2 for free, it in zip((width, height), pixels.shape[1::-1], strict=True))
    figure.figimage(pixels, xo=left + across, yo=HEIGHT - int(top) - down - pixels.shape[0], origin="upper")
