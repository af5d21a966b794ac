"""Slopes: each line goes from one figure to another, all panels on one log axis, with some lines highlighted."""

from collections.abc import Callable
from dataclasses import dataclass
from math import log10
from typing import TYPE_CHECKING, Any

from benchmarks.report import axis, words
from benchmarks.report.canvas import Canvas, colour, colours, for_words, in_style, letters, width_of
from benchmarks.report.lines import apart
from benchmarks.report.look import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE, FOOT, GAP = 30.0, 46.0, 30.0
WIDE_PLOT, NARROW_PLOT = 400.0, 330.0
LABEL = 1.07
"""Where the names begin: beyond the right end, which is at 1, so that a thin line can lead to them."""
POINT = 72 / 96


@dataclass(frozen=True)
class Slope:
    """One line."""

    name: str
    model: str | None
    first: float
    second: float
    highlighted: bool = False


@dataclass(frozen=True)
class Panel:
    """Lines between two figures."""

    title: str
    slopes: list[Slope]


@dataclass(frozen=True)
class Box:
    """The place of a panel, in pixels."""

    left: float
    top: float
    width: float
    height: float


def drawing(panels: list[Panel], ends: tuple[str, str], across: str) -> Callable[[Look], Figure]:
    """Return a function that draws these panels, side by side in the wide look; `ends` says what is left and right."""

    @in_style
    def draw(look: Look) -> Figure:
        columns, height = (1, NARROW_PLOT) if look.narrow else (len(panels), WIDE_PLOT)
        each = TITLE + height + FOOT
        canvas = Canvas(look, each * -(-len(panels) // columns))
        width = (canvas.width - GAP * (columns - 1)) / columns
        for number, panel in enumerate(panels):
            row, column = divmod(number, columns)
            box = Box(column * (width + GAP), row * each, width, height)
            add(canvas, panel, panels, box, ends)
            canvas.words(box.left + width - 2, box.top + 6, across, ha="right", color=canvas.colours.soft)
        return canvas.figure

    return draw


def span(panels: list[Panel]) -> tuple[float, float]:
    """Return a range that all panels have in common."""
    values = [value for panel in panels for it in panel.slopes for value in (it.first, it.second)]
    return min(values) / 2, max(values) * 1.5


def add(canvas: Canvas, panel: Panel, panels: list[Panel], box: Box, ends: tuple[str, str]) -> None:
    """Draw one of the panels into its box, on the axis that all have in common."""
    look = canvas.look
    ticks = width_of(look, ["100.0 ms"]) + 6
    names = width_of(look, [label(it) for panel in panels for it in panel.slopes]) + 22
    left, width = box.left + ticks, box.width - ticks - names
    canvas.words(box.left, box.top + 6, panel.title, fontweight="bold")
    axes = canvas.axes(left, box.top + TITLE, width, box.height)
    axes.set_xlim(-0.06, 1)
    axes.set_xticks([])
    axis.log(axes, "y", *span(panels), words.duration, box.height * 1.2)
    axes.invert_yaxis()
    for it in sorted(panel.slopes, key=lambda it: it.highlighted):
        stroke(axes, it, canvas)
    write(axes, panel, look, box.height)
    below = box.top + TITLE + box.height + 8
    canvas.words(left, below, ends[0], ha="left", color=canvas.colours.ink)
    beside = width_of(look, [ends[0]]) * 0.86 + 12  # in a narrow picture the second one makes room for the first
    canvas.words(left + max(width - 0.5 * width_of(look, [ends[1]]), beside), below, ends[1], color=canvas.colours.ink)


def label(it: Slope) -> str:
    """Return a name with its second figure."""
    return f"{it.name} {words.duration(it.second)}"


def stroke(axes: Axes, it: Slope, canvas: Canvas) -> None:
    """Draw one line, with a mark at both ends."""
    how: dict[str, Any] = {"linewidth": 4 if it.highlighted else 1.4, "alpha": 1 if it.highlighted else 0.75}
    how |= {"marker": "o", "markersize": 9 if it.highlighted else 5, "clip_on": False}
    axes.plot([0, 1], [it.first, it.second], color=colour(canvas.look, it.model), label=f"slope {it.name}", **how)


def write(axes: Axes, panel: Panel, look: Look, pixels: float) -> None:
    """Write names and figures at the right ends, moved so that they do not overlap, and where a highlighted line
    begins."""
    lowest, highest = sorted(map(log10, axes.get_ylim()))
    per = (highest - lowest) / pixels
    ordered = sorted(panel.slopes, key=lambda it: it.second)
    ups = apart([log10(it.second) for it in ordered], letters(look) * 1.25 * per, lowest, highest)
    for it, up in zip(ordered, ups, strict=True):
        how: dict[str, Any] = {"textcoords": "offset points", "annotation_clip": False}
        how |= {"color": for_words(look, it.model), "fontweight": "bold" if it.highlighted else "normal"}
        axes.annotate(label(it), (LABEL, 10**up), (3 * POINT, 0), va="center", **how)
        axes.plot([1, LABEL], [it.second, 10**up], color=colour(look, it.model), linewidth=0.6, clip_on=False, zorder=1)
        if it.highlighted:
            how |= {"bbox": {"facecolor": colours(look).page, "edgecolor": "none", "pad": 1}}  # over a tick near it
            axes.annotate(words.duration(it.first), (0, it.first), (-12 * POINT, 0), va="center", ha="right", **how)


__all__ = ["Panel", "Slope", "drawing"]
