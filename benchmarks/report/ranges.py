"""Rows with two figures each, such as P50 and P99: dots on a log axis with a line between, and those of then below."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.report import axis
from benchmarks.report.canvas import FAMILIES, Canvas, colour, colours, family, in_style, key_height, width_of
from benchmarks.report.look import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

ROW, TALL_ROW, FOOT = 24.0, 38.0, 50.0
LOWER = 0.24
"""How far below its row a figure of then is, in rows."""
POINT = 72 / 96


@dataclass(frozen=True)
class Range:
    """One row."""

    label: str
    low: float
    high: float
    model: str
    """It gives the colour."""
    then: tuple[float, float] | None = None
    """The two figures of an article."""


@dataclass(frozen=True)
class Words:
    """What stands at the axis and in the key."""

    below: str
    ends: str
    """What the two dots are."""
    then: str
    write: Callable[[float], str]


def drawing(ranges: list[Range], words: Words) -> Callable[[Look], Figure]:
    """Return a function that draws these rows, in their order."""

    @in_style
    def draw(look: Look) -> Figure:
        handles = handles_of(ranges, words, look)
        top, height = key_height(look, handles), (TALL_ROW if look.narrow else ROW) * len(ranges)
        canvas = Canvas(look, top + height + FOOT)
        add(canvas, ranges, words, top, height)
        canvas.words(canvas.width - 2, top + height + 26, words.below, ha="right", color=canvas.colours.soft)
        canvas.key(handles)
        return canvas.figure

    return draw


def handles_of(ranges: list[Range], words: Words, look: Look) -> list[Line2D | Patch]:
    """Return the samples in the key."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    its, shown = colours(look), {family(it.model) for it in ranges}
    found: list[Line2D | Patch] = [Patch(color=its.families[name], label=name) for name in FAMILIES if name in shown]
    found.append(Line2D([], [], color=its.ink, marker="o", markersize=6, label=words.ends))
    if any(it.then for it in ranges):
        found.append(Line2D([], [], color=its.soft, marker="D", markersize=4, linewidth=1, label=words.then))
    return found


def add(canvas: Canvas, ranges: list[Range], words: Words, top: float, height: float) -> None:
    """Draw all rows into this much room."""
    look = canvas.look
    labels = 6 if look.narrow else width_of(look, [it.label for it in ranges]) + 8
    values = width_of(look, [words.write(it.high) for it in ranges]) + 10
    width = canvas.width - labels - values
    axes = canvas.axes(labels, top, width, height)
    axes.yaxis.set_visible(False)
    axes.set_ylim(len(ranges) - 0.5, -0.5)
    ends = [end for it in ranges for end in (it.low, it.high, *(it.then or ()))]
    axis.log(axes, "x", min(ends) / 1.3, max(ends) * 1.3, words.write, width)
    for at, it in enumerate(ranges):
        one(axes, it, at + 0.15 if look.narrow else at, canvas)
        label(axes, it, at, canvas, words.write(it.high), values)


def one(axes: Axes, it: Range, at: float, canvas: Canvas) -> None:
    """Draw the figures of a row."""
    its = canvas.colours
    how: dict[str, Any] = {"color": colour(canvas.look, it.model), "markeredgecolor": its.page}
    axes.plot([it.low, it.high], [at, at], "o-", markersize=8, linewidth=2.2, label=f"range {it.label}", **how)
    if it.then:
        below: dict[str, Any] = {"color": its.soft, "markersize": 4, "linewidth": 1, "zorder": 1.8}
        axes.plot(it.then, [at + LOWER, at + LOWER], "D-", label=f"then {it.label}", **below)


def label(axes: Axes, it: Range, at: float, canvas: Canvas, value: str, values: float) -> None:
    """Write what a row is, beside or above it, and its second figure at the right."""
    how: dict[str, Any] = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points", "va": "center"}
    if canvas.look.narrow:
        behind = {"facecolor": canvas.colours.page, "edgecolor": "none", "pad": 0.5}  # else the grid runs through it
        axes.annotate(it.label, (0, at - 0.27), (0, 0), ha="left", bbox=behind, **how)
    else:
        axes.annotate(it.label, (0, at), (-8 * POINT, 0), ha="right", **how)
    axes.annotate(value, (1, at), ((values - 2) * POINT, 0), ha="right", **how)


__all__ = ["Range", "Words", "drawing"]
