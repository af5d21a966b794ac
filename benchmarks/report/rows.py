"""The kit for rows: figures one above the other on one axis, as bars or as marks, in panels.

A row has a label, points, and figures in words at its right. What a point looks like is told by its style, and the key
above the panels explains those styles that occur in it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from benchmarks.report import axis, words
from benchmarks.report.canvas import FAMILIES, Canvas, colour, colours, family, in_style, key_height, width_of
from benchmarks.report.look import Look
from benchmarks.result import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

ROW, TALL_ROW, HEADING, TITLE, FOOT, GAP = 23.0, 37.0, 26.0, 30.0, 50.0, 30.0
TICK_SPACE = 18
"""Half of the words at a tick: those would be cut off where nothing stands beside the rows."""
FAR = 8
"""From this ratio on, the shortest bar of a linear axis is hardly to be seen."""
LOWER = 7
"""How far below its row a figure of then is, in pixels."""
MOST_LABEL = 0.34
"""Labels that take more than this part of the width stand above their rows."""


@dataclass(frozen=True)
class Style:
    """What a point looks like."""

    marker: str
    size: float
    ink: str = ""
    """One of the colours of the look; that of the row if it is empty."""
    hollow: bool = False


STYLES = {
    "dot": Style("o", 8),
    "met": Style("o", 8, "good"),
    "missed": Style("X", 8, "bad"),
    "goal": Style("|", 13, "ink"),
    "gap": Style("", 0),
    "ships": Style("o", 10, hollow=True),
    "built": Style("o", 6),
    "mark": Style("D", 7, "ink"),
    "range": Style("o", 8),
    "then": Style("D", 5, "soft"),
}
"""Beside these there are `bar`, and in the key the kinds of rows and the `line` across all rows."""


@dataclass(frozen=True)
class Point:
    """One figure, or several that a line joins."""

    style: str
    values: tuple[float, ...]
    spread: tuple[float, ...] = ()
    """The least and the greatest value."""


@dataclass(frozen=True)
class Entry:
    """One row of a panel."""

    label: str
    model: str | None
    """It gives the colour."""
    points: tuple[Point, ...]
    """The first one's last value is written at the right."""
    kind: str = "model"
    """Only models have their model's colour; a baseline has that of ink."""
    group: str = ""
    texts: tuple[str, ...] = ()
    """What is written at the right instead."""

    def value(self, style: str) -> float | None:
        """Return the first value of this style."""
        return next((point.values[0] for point in self.points if point.style == style), None)


@dataclass(frozen=True)
class Panel:
    """Several rows on one axis."""

    title: str
    entries: list[Entry]
    axis: str
    write: Callable[[float], str]
    """A value in words."""
    log: bool = True
    line: float | None = None
    """A value that is marked across all rows."""
    heads: tuple[str, ...] = ()
    """What the figures at the right are."""

    @property
    def values(self) -> list[float]:
        """Every value that has to be on the axis."""
        points = [point for entry in self.entries for point in entry.points]
        return [value for point in points for value in (*point.values, *point.spread)]


def bar(
    row: Row, value: float | None = None, spread: tuple[float, ...] = (), mark: float | None = None, label: str = ""
) -> Entry:
    """Return a bar: the median time of a row if there is no other value, with a mark to compare it with."""
    found, ends = (row.median, (row.least, row.most)) if value is None else (value, spread)
    marks = (Point("mark", (mark,)),) if mark else ()
    return Entry(label or row.candidate, row.model, (Point("bar", (found,), ends), *marks), row.kind)


def dot(group: str, name: str, ratios: tuple[float, float, float], model: str | None = None, **more: Any) -> Entry:
    """Return a ratio with its least and its greatest value, as a dot under the name of its group.

    `goal` has to be reached, and makes it a dot that has or has not; `then` is the ratio of an article.
    """
    value, low, high = ratios
    goal, then = more.get("goal"), more.get("then")
    style = "dot" if goal is None else "met" if value >= goal else "missed"
    beside = [Point(style, (it,)) for style, it in (("goal", goal), ("then", then)) if it]
    first = Point(style, (value,), (low, high))
    return Entry(name, model, (first, *beside), group=group, texts=(words.turned(value),))


def ratio_panel(entries: list[Entry], below: str) -> Panel:
    """Return dots on a log axis: 1 is the same, right of it is faster."""
    return Panel("", entries, below, axis.factor, line=1.0)


def fitting_panel(title: str, entries: list[Entry], axis: str, write: Callable[[float], str]) -> Panel:
    """Return a panel with a log axis if the values are far apart; otherwise the axis begins at zero."""
    panel = Panel(title, entries, f"{axis} (log)", write)
    values = [value for value in panel.values if value]
    return panel if max(values) / min(values) > FAR else replace(panel, axis=axis, log=False)


def drawing(panels: list[Panel], key: Mapping[str, str] = {}, across: int = 1) -> Callable[[Look], Figure]:
    """Return a function that draws these panels; in the wide look, several are side by side.

    The key has words for styles and kinds of rows; families of models are in it by themselves.
    """

    @in_style
    def draw(look: Look) -> Figure:
        handles, columns = handles_of(panels, key, look), 1 if look.narrow else across
        top = key_height(look, handles)
        lines = [panels[start : start + columns] for start in range(0, len(panels), columns)]
        width = (look.width - GAP * (columns - 1)) / columns
        heights = [max(height_of(panel, width, look) for panel in line) for line in lines]
        canvas = Canvas(look, top + sum(heights))
        least = max(label_width(panel, width, look) for panel in panels) if columns == 1 else 0
        for line, height in zip(lines, heights, strict=True):
            for number, panel in enumerate(line):
                add(canvas, panel, (number * (width + GAP), top, width), least)
            top += height
        canvas.key(handles)
        return canvas.figure

    return draw


def handles_of(panels: list[Panel], key: Mapping[str, str], look: Look) -> list[Line2D | Patch]:
    """Return the samples in the key, for what the panels contain; what has no colour of its own is in that of ink,
    or soft where no row has a model."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    its, entries = colours(look), [entry for panel in panels for entry in panel.entries]
    shown = {family(entry.model) for entry in entries if entry.kind == "model"}
    key_ink = "ink" if shown & FAMILIES.keys() else "soft"
    found: list[Line2D | Patch] = [Patch(color=its.families[name], label=name) for name in FAMILIES if name in shown]
    joined = {point.style: len(point.values) > 1 for entry in entries for point in entry.points}
    kinds = {entry.kind for entry in entries}
    soft = dict.fromkeys(text for kind, text in key.items() if kind in kinds and kind != "baseline")
    found += [Patch(color=its.soft, label=", ".join(soft))] if soft else []
    found += [Patch(color=its.ink, label=key["baseline"])] if "baseline" in kinds & key.keys() else []
    for style, text in key.items():
        if style in joined:
            ink = getattr(its, STYLES[style].ink or key_ink)
            found.append(Line2D([], [], color=ink, label=text, **sign(style, its.page, joined[style])))
    found += [Line2D([], [], color=its.ink, linestyle="--", label=key["line"])] if "line" in key else []
    return found


def sign(style: str, page: str, joined: bool) -> dict[str, Any]:
    """Return how matplotlib draws a style, but for its colour."""
    its = STYLES[style]
    edge = {"markeredgewidth": 2} if its.marker == "|" else {"markeredgecolor": page}
    edge = {"markerfacecolor": page, "markeredgewidth": 1.8} if its.hollow else edge
    return {"marker": its.marker, "markersize": its.size, "linestyle": "-" if joined else "", **edge}


def label_width(panel: Panel, space: float, look: Look) -> float:
    """Return the width of the longest label that stands beside its row, or a margin if they stand above."""
    return 6 if is_tall(panel, space, look) else width_of(look, [it.label for it in panel.entries]) + 8


def is_tall(panel: Panel, space: float, look: Look) -> bool:
    """Return whether the labels have to stand above the rows."""
    return width_of(look, [it.label for it in panel.entries]) > MOST_LABEL * space


def height_of(panel: Panel, space: float, look: Look) -> float:
    """Return the height of a panel with all its text."""
    *_, last = places(panel, space, look)
    return last + FOOT + (TITLE if panel.title or panel.heads else 0)


def places(panel: Panel, space: float, look: Look) -> Iterator[float]:
    """Yield where the middle of each row is, in pixels below the top of the axes, and at last where the axes end."""
    each, at, group = TALL_ROW if is_tall(panel, space, look) else ROW, 0.0, ""
    for entry in panel.entries:
        at += HEADING if entry.group != group else 0
        group = entry.group
        yield at + each / 2
        at += each
    yield at


def add(canvas: Canvas, panel: Panel, box: tuple[float, float, float], least: float) -> None:
    """Draw a panel at this place, so wide; labels beside the rows take so much at least."""
    left, top, space = box
    look, tall = canvas.look, is_tall(panel, space, canvas.look)
    labels = 6 if tall else max(least, label_width(panel, space, look))
    texts = [entry.texts or (panel.write(entry.points[0].values[-1]),) for entry in panel.entries]
    columns = [width_of(look, [*column, *panel.heads]) + 10 for column in zip(*texts, strict=True)]
    ends = [space - sum(columns[number + 1 :]) - 2 for number in range(len(columns))]
    canvas.words(left, top + 6, panel.title, fontweight="bold")
    for end, head in zip(ends, panel.heads, strict=False):
        canvas.words(left + end, top + 6, head, ha="right", color=canvas.colours.soft)
    top += TITLE if panel.title or panel.heads else 0
    *middles, height = places(panel, space, look)
    plot = space - labels - sum(columns)
    axes = canvas.axes(left + labels, top, plot, height)
    axes.set_ylim(height, 0)
    axes.yaxis.set_visible(False)
    scale(axes, panel, plot, tall)
    for entry, middle in zip(panel.entries, middles, strict=True):
        points(axes, entry, middle + (6 if tall else 0), canvas)
    for entry, middle, figures in zip(panel.entries, middles, texts, strict=True):
        label(axes, entry, middle, (labels, plot), canvas, tall)
        for end, text in zip(ends, figures, strict=True):
            write(axes, (end - labels) / plot, middle + (6 if tall else 0), text, ha="right")
    headings(axes, panel, middles, (labels, plot), canvas)
    canvas.words(left + space - 2, top + height + 26, panel.axis, ha="right", color=canvas.colours.soft)


def scale(axes: Axes, panel: Panel, pixels: float, tall: bool) -> None:
    """Set the ends and the ticks of the axis."""
    values = [*panel.values, *([panel.line] if panel.line else [])]
    if panel.log:
        axis.log(axes, "x", min(values) / 1.6, max(values) * 1.25, panel.write, pixels, TICK_SPACE if tall else 0)
    else:
        axis.linear(axes, max(values) * 1.05 or 1.0, panel.write, pixels)  # an axis has a length if all are 0
    if panel.line:
        axes.axvline(panel.line, color=axes.xaxis.label.get_color(), linestyle="--", linewidth=1.2, label="line")


def points(axes: Axes, entry: Entry, at: float, canvas: Canvas) -> None:
    """Draw the points of a row with their spreads; those of then are a little lower, so that they hide nothing."""
    its = canvas.colours
    row = (
        colour(canvas.look, entry.model) if entry.kind == "model" else its.ink if entry.kind == "baseline" else its.soft
    )
    for point in entry.points:
        name = f"{point.style} {entry.label}"
        if point.style == "bar":
            axes.barh(at, point.values[0], 14, color=row, label=name)
            spread = {"color": its.soft if entry.kind == "baseline" else its.ink, "linewidth": 1.3}
        else:
            own = getattr(its, STYLES[point.style].ink or "", row)
            low, joined = (LOWER if point.style == "then" else 0), len(point.values) > 1
            how = sign(point.style, its.page, joined) | {"linewidth": 1 if low else 2, "clip_on": False}
            axes.plot(point.values, [at + low] * len(point.values), color=own, label=name, **how)
            spread = {"color": own, "linewidth": 2, "alpha": 0.6}
        if point.spread and point.spread[0] < point.spread[1]:
            axes.plot(
                point.spread, [at, at], solid_capstyle="butt", zorder=2.1 if point.style == "bar" else 1.9, **spread
            )


def label(axes: Axes, entry: Entry, at: float, room: tuple[float, float], canvas: Canvas, tall: bool) -> None:
    """Write what a row is, beside it or above it."""
    labels, plot = room
    if tall:
        behind = {"facecolor": canvas.colours.page, "edgecolor": "none", "pad": 0.5}  # else the grid runs through it
        write(axes, 0, at - 10, entry.label, bbox=behind)
    else:
        write(axes, -6 / plot, at, entry.label, ha="right")


def headings(axes: Axes, panel: Panel, middles: list[float], room: tuple[float, float], canvas: Canvas) -> None:
    """Write the name of each group above its first row."""
    labels, plot = room
    behind = {"facecolor": canvas.colours.page, "edgecolor": "none", "pad": 0.5}
    group = ""
    for entry, middle in zip(panel.entries, middles, strict=True):
        if entry.group != group:
            half = middle - HEADING / 2 - (ROW if labels > 6 else TALL_ROW) / 2 + 3
            write(axes, -labels / plot, half, entry.group, fontweight="bold", bbox=behind)
        group = entry.group


def write(axes: Axes, x: float, y: float, text: str, **how: Any) -> None:
    """Write text at a part of the width of the axes, so many pixels below their top."""
    axes.text(x, y, text, transform=axes.get_yaxis_transform(), va="center", **how)


__all__ = ["Entry", "Panel", "Point", "bar", "dot", "drawing", "fitting_panel", "ratio_panel"]
