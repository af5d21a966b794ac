"""Ratios as dots on a log axis, in groups: 1 is the same, right of it is faster; a goal is a bar across its row."""

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
    from matplotlib.patches import Patch

ROW, TALL_ROW, FOOT = 21.0, 35.0, 50.0
HEADING = 1.25
"""Height of a group's name, in rows."""
POINT = 72 / 96


@dataclass(frozen=True)
class Dot:
    """One ratio."""

    group: str
    label: str
    value: float
    low: float
    high: float
    goal: float | None = None
    model: str | None = None
    """Whose colour it has where there is no goal; None: that of what matters less."""
    then: float | None = None
    """The ratio of an article."""

    @property
    def met(self) -> bool:
        """Whether the goal is reached."""
        return self.goal is not None and self.value >= self.goal


def drawing(dots: list[Dot], below: str, then: str = "then") -> Callable[[Look], Figure]:
    """Return a function that draws these dots, in their order; `below` is the text at the axis, `then` what the figures
    of an article are called."""

    @in_style
    def draw(look: Look) -> Figure:
        handles, row = handles_of(dots, then, look), TALL_ROW if look.narrow else ROW
        top, rows = key_height(look, handles), rows_of(dots, HEADING * ROW / row)
        height = row * (rows[-1] + 0.5)
        canvas = Canvas(look, top + height + FOOT)
        add(canvas, dots, rows, top, height)
        canvas.words(canvas.width - 2, top + height + 26, below, ha="right", color=canvas.colours.soft)
        canvas.key(handles)
        return canvas.figure

    return draw


def add(canvas: Canvas, dots: list[Dot], rows: list[float], top: float, height: float) -> None:
    """Draw all rows into this much room."""
    look = canvas.look
    labels = 14 if look.narrow else width_of(look, [dot.label for dot in dots]) + 8
    values = width_of(look, [words.turned(dot.value) for dot in dots]) + 10
    axes = canvas.axes(labels, top, canvas.width - labels - values, height)
    axes.yaxis.set_visible(False)
    axes.set_ylim(rows[-1] + 0.5, 0)
    scale(axes, dots, canvas.width - labels - values, canvas)
    for at, dot in zip(rows, dots, strict=True):
        one(axes, dot, at, canvas)
        label(axes, dot, at, canvas, values)
    headings(canvas, axes, dots, rows, labels)


def handles_of(dots: list[Dot], then: str, look: Look) -> list[Line2D | Patch]:
    """Return the samples in the key, for what the chart contains."""
    from matplotlib.lines import Line2D

    its = colours(look)
    samples = [
        (any(dot.met for dot in dots), its.good, "o", "goal met"),
        (any(dot.goal and not dot.met for dot in dots), its.bad, "X", "goal missed"),
        (any(dot.goal for dot in dots), its.ink, "|", "the goal"),
        (any(dot.goal is None for dot in dots) and any(dot.goal for dot in dots), its.soft, "o", "no goal"),
        (any(dot.then for dot in dots), its.soft, "D", then),
    ]
    how: dict[str, Any] = {"linestyle": "", "markersize": 8, "markeredgewidth": 2}
    return [
        Line2D([], [], color=ink, marker=mark, label=text, **(how if mark == "|" else {**how, "markeredgewidth": 0}))
        for there, ink, mark, text in samples
        if there
    ]


def rows_of(dots: list[Dot], heading: float) -> list[float]:
    """Return the position of each dot, counted in rows; the name of a group takes some space before its first dot."""
    found, at, group = [], 0.0, None
    for dot in dots:
        at += 1 if dot.group == group else heading + 0.5 if group is None else heading + 1
        found.append(at)
        group = dot.group
    return found


def scale(axes: Axes, dots: list[Dot], pixels: float, canvas: Canvas) -> None:
    """Make the axis logarithmic, so that 1 is always on it."""
    values = [it for dot in dots for it in (dot.low, dot.high, dot.goal, dot.then) if it] + [1.0]
    axis.log(axes, "x", min(values) / 1.5, max(values) * 1.5, axis.factor, pixels)
    axes.axvline(1, color=canvas.colours.soft, linewidth=1.4, zorder=1, label="same")


def one(axes: Axes, dot: Dot, at: float, canvas: Canvas) -> None:
    """Draw a dot with its spread and its goal."""
    its, look = canvas.colours, canvas.look
    ink = (its.good if dot.met else its.bad) if dot.goal else colour(look, dot.model)
    axes.plot([dot.low, dot.high], [at, at], color=ink, linewidth=2.2, alpha=0.6, solid_capstyle="butt")
    if dot.goal:
        axes.plot(dot.goal, at, "|", color=its.ink, markersize=13, markeredgewidth=2, label=f"goal {dot.label}")
    if dot.then:
        axes.plot(dot.then, at, "D", color=its.soft, markersize=6, markeredgecolor=its.page, label=f"then {dot.label}")
    mark = "X" if dot.goal and not dot.met else "o"
    axes.plot(dot.value, at, mark, color=ink, markersize=8, markeredgecolor=its.page, label=f"dot {dot.label}")


def label(axes: Axes, dot: Dot, at: float, canvas: Canvas, values: float) -> None:
    """Write what a dot is, beside or above it, and its value at the right."""
    how: dict[str, Any] = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points", "va": "center"}
    if canvas.look.narrow:
        behind = {"facecolor": canvas.colours.page, "edgecolor": "none", "pad": 0.5}  # else the grid runs through it
        axes.annotate(dot.label, (0, at - 0.45), (-12 * POINT, 0), ha="left", bbox=behind, **how)
    else:
        axes.annotate(dot.label, (0, at), (-8 * POINT, 0), ha="right", **how)
    axes.annotate(words.turned(dot.value), (1, at), ((values - 2) * POINT, 0), ha="right", **how)


def headings(canvas: Canvas, axes: Axes, dots: list[Dot], rows: list[float], labels: float) -> None:
    """Write the names of the groups; one that is longer than the labels begins where they do and goes beyond them."""
    seen: set[str] = set()
    up = 1.0 if canvas.look.narrow else 0.95
    for dot, at in zip(dots, rows, strict=True):
        if dot.group and dot.group not in seen:
            seen.add(dot.group)
            how: dict[str, Any] = {
                "xycoords": axes.get_yaxis_transform(),
                "textcoords": "offset points",
                "va": "center",
            }
            if canvas.look.narrow or width_of(canvas.look, [dot.group]) > labels:
                how |= {"bbox": {"facecolor": canvas.colours.page, "edgecolor": "none", "pad": 0.5}}
                side = (((12 if canvas.look.narrow else labels) * -POINT, 0), "left")
            else:
                side = ((-8 * POINT, 0), "right")
            axes.annotate(dot.group, (0, at - up), side[0], ha=side[1], fontweight="bold", **how)


__all__ = ["Dot", "drawing"]
