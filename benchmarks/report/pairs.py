"""Two marks in each row on one log axis, with a line between them: a ring for the first, a dot for the second."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.report import axis, words
from benchmarks.report.canvas import Canvas, colour, colours, in_style, key_height, width_of
from benchmarks.report.look import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

ROW, FOOT, HEAD = 25.0, 52.0, 24.0
POINT = 72 / 96
Mark = tuple[float, float, float]
"""A median, the least and the greatest value."""


@dataclass(frozen=True)
class Pair:
    """One row; a mark that was not measured is None."""

    label: str
    model: str | None
    first: Mark | None
    second: Mark | None


def drawing(pairs: list[Pair], key: tuple[str, str], below: str) -> Callable[[Look], Figure]:
    """Return a function that draws these rows; the key names the first marks and the second ones."""

    @in_style
    def draw(look: Look) -> Figure:
        handles = handles_of(key, look)
        top, height = key_height(look, handles) + HEAD, ROW * len(pairs)
        canvas = Canvas(look, top + height + FOOT)
        labels = width_of(look, [pair.label for pair in pairs]) + 8
        column = width_of(look, ["0.00 ms "]) + 4
        width = canvas.width - labels - 2 * column - 6
        axes = canvas.axes(labels, top, width, height)
        scale(axes, pairs, width)
        for row, pair in enumerate(pairs):
            one(axes, pair, row, canvas, column)
        heads(canvas, top, column)
        canvas.words(labels + width, top + height + 28, below, ha="right", color=canvas.colours.soft)
        canvas.key(handles)
        return canvas.figure

    return draw


def handles_of(key: tuple[str, str], look: Look) -> list[Line2D]:
    """Return the samples in the key: the two marks, in the colour of ink."""
    from matplotlib.lines import Line2D

    how: dict[str, Any] = {"linestyle": "", "marker": "o", "color": colours(look).ink}
    first = Line2D([], [], markerfacecolor="none", markeredgewidth=1.8, markersize=10, label=key[0], **how)
    return [first, Line2D([], [], markersize=6, label=key[1], **how)]


def heads(canvas: Canvas, top: float, column: float) -> None:
    """Write what the two columns of figures are."""
    for right, text in ((canvas.width - column - 2, "ships"), (canvas.width - 2, "built")):
        canvas.words(right, top - HEAD + 4, text, ha="right", color=canvas.colours.soft)


def scale(axes: Axes, pairs: list[Pair], pixels: float) -> None:
    """Set the ends and the ticks of the axes."""
    values = [value for pair in pairs for mark in (pair.first, pair.second) if mark for value in mark]
    axes.set_ylim(len(pairs) - 0.5, -0.5)
    axes.yaxis.set_visible(False)
    axis.log(axes, "x", min(values) / 1.5, max(values) * 1.5, words.duration, pixels)


def one(axes: Axes, pair: Pair, row: int, canvas: Canvas, column: float) -> None:
    """Draw one row: the line, the spreads, the marks, the name and both figures."""
    how: dict[str, Any]
    its, own = canvas.colours, colour(canvas.look, pair.model)
    if pair.first and pair.second:
        axes.plot([pair.first[0], pair.second[0]], [row, row], color=own, linewidth=2, alpha=0.45, label="gap")
    for mark, name, fill, size in ((pair.first, "ships", its.page, 10), (pair.second, "built", own, 6)):
        if mark:
            axes.plot(mark[1:], [row, row], color=own, linewidth=1.3, label="spread")
            how = {"markerfacecolor": fill, "markeredgewidth": 1.8, "markersize": size, "zorder": 3}
            axes.plot(mark[0], row, "o", color=own, label=f"{name} {pair.label}", **how)
    how = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points", "va": "center"}
    axes.annotate(pair.label, (0, row), (-6 * POINT, 0), ha="right", **how)
    for number, mark in enumerate((pair.first, pair.second), 1):
        text = words.duration(mark[0]) if mark else "nothing" if number == 1 else ""
        ink = its.ink if mark else its.soft
        axes.annotate(text, (1, row), ((number * column + 4) * POINT, 0), ha="right", color=ink, **how)


__all__ = ["Pair", "drawing"]
