"""The kit for grids: a square for each pair, coloured by which of the two is faster and how far.

On a narrow page the columns stand in blocks one below the other, and their names are turned.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING

from benchmarks.report import words
from benchmarks.report.canvas import Canvas, colours, in_style, key_height, letters, width_of
from benchmarks.report.look import Look
from benchmarks.rounds import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

ROW, TITLE, BETWEEN, EDGE = 23.0, 30.0, 24.0, 1.5
BLOCK = 4
"""So many columns are side by side on a narrow page."""
FULL = 2.0
"""From a factor of four on, in powers of two, a square has its full colour."""
PALE = 0.22
LOOSE = 0.82
"""Labels have many narrow letters: they take so much of what they might."""
STATES = {"good": "ours is faster (the stronger the colour, the more)", "bad": "what ships is faster", "": "undecided"}


@dataclass(frozen=True)
class Grid:
    """Lines of ratios, and what stands above them."""

    title: str
    columns: list[str]
    lines: list[tuple[str, list[Interval | None]]]
    """A label, and how many times as fast ours is in each column."""

    def part(self, start: int, count: int) -> Grid:
        """Return the grid with only so many columns, and the lines that have something there."""
        lines = [(label, ratios[start : start + count]) for label, ratios in self.lines]
        kept = [(label, ratios) for label, ratios in lines if any(ratios)]
        return Grid(self.title if not start else "", self.columns[start : start + count], kept)


def state(ratio: Interval) -> str:
    """Return which side is faster, as far as rounds can tell: `good` for ours, `bad`, or an empty text."""
    return "good" if ratio.above(1) else "bad" if ratio.below(1) else ""


def drawing(grids: list[Grid]) -> Callable[[Look], Figure]:
    """Return a function that draws these grids one below the other."""

    @in_style
    def draw(look: Look) -> Figure:
        handles = handles_of(look)
        labels = LOOSE * width_of(look, [label for grid in grids for label, _ in grid.lines]) + 8
        across = BLOCK if look.narrow else max(len(grid.columns) for grid in grids)
        blocks = [grid.part(at, across) for grid in grids for at in range(0, len(grid.columns), across)]
        tops, top = [], key_height(look, handles)
        for block in blocks:
            tops.append(top)
            top += head_height(block, look) + ROW * len(block.lines) + BETWEEN
        canvas = Canvas(look, top - BETWEEN + 4)
        each = (look.width - labels - 4) / across
        for block, at in zip(blocks, tops, strict=True):
            draw_grid(canvas, block, at, labels, each)
        canvas.key(handles)
        return canvas.figure

    return draw


def handles_of(look: Look) -> list[Patch]:
    """Return the samples in the key."""
    from matplotlib.patches import Patch

    its = colours(look)
    inks = {"good": its.good, "bad": its.bad, "": its.page}
    return [Patch(facecolor=inks[it], edgecolor=its.rule, label=text) for it, text in STATES.items()]


def name_lines(column: str, look: Look) -> list[str]:
    """Return the name of a column in lines: `gevent.`, `queue.`, `Queue`; in two where it is turned."""
    parts = re.findall(r"[^.]+\.?", column) if "." in column else column.rsplit(" ", 1)
    return ["".join(parts[:-1]), parts[-1]] if look.narrow and len(parts) > 2 else parts


def head_height(block: Grid, look: Look) -> float:
    """Return the height of the names of the columns, and of the title."""
    title = TITLE if block.title else 0
    if look.narrow:
        return title + width_of(look, [line for column in block.columns for line in name_lines(column, look)]) + 6
    return title + max(len(name_lines(column, look)) for column in block.columns) * letters(look) * 1.3 + 8


def draw_grid(canvas: Canvas, block: Grid, top: float, labels: float, each: float) -> None:
    """Draw a block at this height: names, labels, squares."""
    from matplotlib.patches import Rectangle

    look, its, head = canvas.look, canvas.colours, head_height(block, canvas.look)
    canvas.words(2, top + 6, block.title, fontweight="bold")
    for number, column in enumerate(block.columns):
        turned = {"rotation": 90} if look.narrow else {}
        text = "\n".join(name_lines(column, look))
        canvas.words(labels + each * (number + 0.5), top + head - 6, text, ha="center", va="bottom", **turned)
    height = ROW * len(block.lines)
    axes = canvas.axes(labels, top + head, each * len(block.columns), height)
    axes.grid(visible=False)
    axes.set_axis_off()
    axes.set_xlim(0, each * len(block.columns))
    axes.set_ylim(height, 0)
    for row, (label, ratios) in enumerate(block.lines):
        canvas.words(2, top + head + ROW * (row + 0.5), label, va="center")
        for number, ratio in enumerate(ratios):
            if not ratio:
                continue
            fill, ink = look_of(ratio, look)
            place = (each * number + EDGE, ROW * row + EDGE)
            how = {"facecolor": fill, "edgecolor": its.rule, "linewidth": 0.6 * (not state(ratio))}
            name = f"{state(ratio) or 'undecided'} {label}: {block.columns[number]}"
            axes.add_patch(Rectangle(place, each - 2 * EDGE, ROW - 2 * EDGE, label=name, **how))
            middle = (each * (number + 0.5), ROW * (row + 0.5) + 0.5)
            weight = "bold" if state(ratio) == "bad" else "normal"
            axes.text(*middle, ratio_in_short(ratio), ha="center", va="center", color=ink, fontweight=weight)


def look_of(ratio: Interval, look: Look) -> tuple[str, str]:
    """Return the colour of a square, and that of the figure in it."""
    from matplotlib.colors import to_hex, to_rgb

    its = colours(look)
    if not state(ratio):
        return its.page, its.soft
    share = PALE + (1 - PALE) * min(1, abs(log2(ratio.median)) / FULL)
    pair = to_rgb(getattr(its, state(ratio))), to_rgb(its.page)
    fill = [share * one + (1 - share) * other for one, other in zip(*pair, strict=True)]
    return to_hex((fill[0], fill[1], fill[2])), "#ffffff" if brightness(fill) < 0.35 else "#1b1f24"


def brightness(fill: Sequence[float]) -> float:
    """Return how bright a colour looks, from 0 to 1."""
    red, green, blue = (part**2.2 for part in fill)
    return 0.21 * red + 0.72 * green + 0.07 * blue


def ratio_in_short(ratio: Interval) -> str:
    """Return a ratio in the few characters that a square has room for."""
    return words.plain(float(f"{ratio.median:.2g}"))
