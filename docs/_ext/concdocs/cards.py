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
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from benchmarks.report.canvas import DAY, styled
from benchmarks.report.look import LIGHT
from concdocs.places import ROOT

CACHE = ROOT / "build" / "docs-cards"
WIDTH, HEIGHT = 1200, 630
"""What the places that show cards ask for, in pixels."""
MARGIN, FOOT = 60, 24
PER_INCH = 100
BRAND, OTHER = "#00607a", "#d9622b"
LOGO = 96
RING = ((16, 5.5), (26, 12.8), (22.2, 24.5), (9.8, 24.5), (6, 12.8))
"""The tasks of favicon.svg; a message is at the last of them."""
LETTER = {"bold": 0.66, "normal": 0.57}
"""How wide a letter is on average: parts of its height."""
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
            below = _words(figure, 92, title, 44, "bold", BRAND)
            _add_chart(figure, drawn, _words(figure, below + 10, drawn.takeaway, 25, "normal", DAY.ink) + 16)
        figure.savefig(file, format="png", dpi=PER_INCH, facecolor=DAY.page, metadata={"Software": None})
    return file.getvalue()


def _frame() -> Figure:
    """An empty card: a strip at the top, the name of the site, and the ring."""
    figure = Figure(figsize=(WIDTH / PER_INCH, HEIGHT / PER_INCH), dpi=PER_INCH)
    figure.add_artist(Rectangle((0, 1 - 12 / HEIGHT), 1, 12 / HEIGHT, color=BRAND, linewidth=0))
    _line(figure, 44, "concmodels", 28, "bold", DAY.soft)
    place = ((WIDTH - MARGIN - LOGO) / WIDTH, 1 - (36 + LOGO) / HEIGHT, LOGO / WIDTH, LOGO / HEIGHT)
    axes = figure.add_axes(place, xlim=(0, 32), ylim=(32, 0))
    axes.set_axis_off()
    axes.add_patch(Circle((16, 16), 10.5, fill=False, edgecolor=BRAND, linewidth=2.5 * LOGO / 32 * 72 / PER_INCH))
    for at in RING:
        axes.add_patch(Circle(at, 4, color=OTHER if at == RING[-1] else BRAND, linewidth=0))
    return figure


def _words(figure: Figure, top: float, text: str, size: float, weight: str, colour: str) -> float:
    """Write text from this height on, in as many lines as it needs; return where it ends."""
    wide = WIDTH - 2 * MARGIN - (LOGO if top < 36 + LOGO else 0)
    for line in textwrap.wrap(text, int(wide / size / LETTER[weight])):
        _line(figure, top, line, size, weight, colour)
        top += size * 1.3
    return top


def _line(figure: Figure, top: float, text: str, size: float, weight: str, colour: str) -> None:
    how = {"fontsize": size * 72 / PER_INCH, "fontweight": weight, "color": colour, "va": "top", "parse_math": False}
    figure.text(MARGIN / WIDTH, 1 - top / HEIGHT, text, **how)


def _add_chart(figure: Figure, drawn: Any, top: float) -> None:
    """Put a chart into the middle of what is left below, as large as fits: drawn at that size, and not scaled."""
    chart = drawn.draw(LIGHT)
    wide, high = chart.get_size_inches()
    free = WIDTH - 2 * MARGIN, HEIGHT - FOOT - top
    chart.set_dpi(min(free[0] / wide, free[1] / high, MOST * chart.dpi))
    canvas = FigureCanvasAgg(chart)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())
    figure.figimage(pixels, xo=(WIDTH - pixels.shape[1]) // 2, yo=HEIGHT - int(top) - pixels.shape[0], origin="upper")


__all__ = ["HEIGHT", "WIDTH", "card"]
