"""The kit for rows: figures one above the other on one axis, as bars or as marks, in panels.

A row has a label, points, and figures in words at its right. What a point looks like is told by its style, and the key
above the panels explains those styles that occur in it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from benchmarks.disturbance import marked
from benchmarks.goals import met
from benchmarks.report import axis, words
from benchmarks.report.canvas import FAMILIES, Canvas, colour, colours, family, in_style, key_height, width_of
from benchmarks.report.look import Look
from benchmarks.result import Row
from benchmarks.rounds import Interval

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
    """The look of a point."""

    marker: str
    size: float
    ink: str = ""
    """One of the colours of the look; that of the row if it is empty."""
    hollow: bool = False


STYLES = {
    "dot": Style("o", 8),
    "met": Style("o", 8, "good"),
    "missed": Style("X", 8, "bad"),
    "undecided": Style("o", 8, hollow=True),
    "goal": Style("|", 13, "ink"),
    "gap": Style("", 0),
    "ships": Style("o", 10, hollow=True),
    "built": Style("o", 6),
    "mark": Style("D", 7, "ink"),
    "range": Style("o", 8),
    "then": Style("D", 5, "soft"),
}
"""Beside these there are `bar`, and in the key the kinds of rows and the `line` across all rows."""
MET = {"yes": "met", "no": "missed", "undecided": "undecided"}
"""The style of a ratio that has a goal, by whether it is met."""


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

    @property
    def texts(self) -> list[tuple[str, ...]]:
        """The texts at the right of each row."""
        return [entry.texts or (self.write(entry.points[0].values[-1]),) for entry in self.entries]


def bar(
    row: Row, value: float | None = None, spread: tuple[float, ...] = (), mark: float | None = None, label: str = ""
) -> Entry:
    """Return a bar: the median time of a row if there is no other value, with a mark to compare it with."""
    found, ends = (row.median, (row.least, row.most)) if value is None else (value, spread)
    marks = (Point("mark", (mark,)),) if mark else ()
    return Entry(label or marked(row.candidate, row), row.model, (Point("bar", (found,), ends), *marks), row.kind)


def dot(
    group: str,
    name: str,
    ratio: Interval,
    model: str | None = None,
    goal: float | None = None,
    then: float | None = None,
) -> Entry:
    """Return a ratio with its interval, as a dot under the name of its group.

    A goal has to be reached; `then` is the ratio of an article.
    """
    value, low, high, _ = ratio
    style = "dot" if goal is None else MET[met(ratio, goal)]
    beside = [Point(style, (it,)) for style, it in (("goal", goal), ("then", then)) if it]
    first = Point(style, (value,), (low, high))
    return Entry(name, model, (first, *beside), group=group, texts=(words.as_fast(value),))


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
        width = (look.width - GAP * (columns - 1)) / columns
        least = max(label_width(panel, width, look) for panel in panels) if columns == 1 else 0
        placed = [(panel, layout(panel, width, look, least)) for panel in panels]
        lines = [placed[start : start + columns] for start in range(0, len(placed), columns)]
        heights = [max(its.whole for _, its in line) for line in lines]
        top = key_height(look, handles)
        canvas = Canvas(look, top + sum(heights))
        for line, height in zip(lines, heights, strict=True):
            for number, (panel, its) in enumerate(line):
                draw_panel(canvas, panel, its, number * (width + GAP), top)
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
            found.append(Line2D([], [], color=ink, label=text, **marker_style(style, its.page, joined[style])))
    lined = "line" in key and any(panel.line for panel in panels)
    found += [Line2D([], [], color=its.ink, linestyle="--", label=key["line"])] if lined else []
    return found


def marker_style(style: str, page: str, joined: bool) -> dict[str, Any]:
    """Return how matplotlib draws a style, but for its colour."""
    its = STYLES[style]
    edge = {"markeredgewidth": 2} if its.marker == "|" else {"markeredgecolor": page}
    edge = {"markerfacecolor": page, "markeredgewidth": 1.8} if its.hollow else edge
    return {"marker": its.marker, "markersize": its.size, "linestyle": "-" if joined else "", **edge}


@dataclass(frozen=True)
class Layout:
    """The places of the parts of a panel, in pixels."""

    tall: bool
    """Whether the labels stand above the rows."""
    title: float
    """The height of the title."""
    labels: float
    """Where the axes begin, from the left of the panel."""
    plot: float
    """The width of the axes."""
    ends: list[float]
    """Where the figures at the right end, from the left of the panel."""
    middles: list[float]
    """The middle of each row, from the top of the axes."""
    height: float
    """The height of the axes."""

    @property
    def whole(self) -> float:
        """The height of the panel with all its text."""
        return self.title + self.height + FOOT


def layout(panel: Panel, space: float, look: Look, least: float) -> Layout:
    """Return the layout of a panel that is so wide; labels beside the rows take so much at least."""
    tall = is_tall(panel, space, look)
    labels = label_width(panel, space, look) if tall else max(least, label_width(panel, space, look))
    columns = [width_of(look, [*column, *panel.heads]) + 10 for column in zip(*panel.texts, strict=True)]
    ends = [space - sum(columns[number + 1 :]) - 2 for number in range(len(columns))]
    each, at, group, middles = TALL_ROW if tall else ROW, 0.0, "", []
    for entry in panel.entries:
        at += HEADING if entry.group != group else 0
        group = entry.group
        middles.append(at + each / 2)
        at += each
    title = TITLE if panel.title or panel.heads else 0
    return Layout(tall, title, labels, space - labels - sum(columns), ends, middles, at)


def is_tall(panel: Panel, space: float, look: Look) -> bool:
    """Return whether the labels have to stand above the rows."""
    return width_of(look, [it.label for it in panel.entries]) > MOST_LABEL * space


def label_width(panel: Panel, space: float, look: Look) -> float:
    """Return the width of the longest label that stands beside its row, or a margin if they stand above."""
    return 6 if is_tall(panel, space, look) else width_of(look, [it.label for it in panel.entries]) + 8


def draw_panel(canvas: Canvas, panel: Panel, its: Layout, left: float, top: float) -> None:
    """Draw a panel at this place."""
    soft = canvas.colours.soft
    canvas.words(left, top + 6, panel.title, fontweight="bold")
    for end, head in zip(its.ends, panel.heads, strict=False):
        canvas.words(left + end, top + 6, head, ha="right", color=soft)
    axes = canvas.axes(left + its.labels, top + its.title, its.plot, its.height)
    axes.set_ylim(its.height, 0)
    axes.yaxis.set_visible(False)
    set_scale(axes, panel, its)
    low = 6 if its.tall else 0
    for entry, middle in zip(panel.entries, its.middles, strict=True):
        draw_points(axes, entry, middle + low, canvas)
    for entry, middle, texts in zip(panel.entries, its.middles, panel.texts, strict=True):
        write_label(axes, entry, middle, its, canvas)
        for end, text in zip(its.ends, texts, strict=True):
            write(axes, its, end, middle + low, text, ha="right")
    write_headings(axes, panel, its, canvas)
    right, below = left + its.ends[-1], top + its.title + its.height + 26
    canvas.words(right, below, panel.axis, ha="right", color=soft)


def set_scale(axes: Axes, panel: Panel, its: Layout) -> None:
    """Set the ends and the ticks of the axis."""
    values = [*panel.values, *([panel.line] if panel.line else [])]
    if panel.log:
        axis.log(axes, "x", min(values) / 1.6, max(values) * 1.25, panel.write, its.plot, TICK_SPACE if its.tall else 0)
    else:
        axis.linear(axes, max(values) * 1.05 or 1.0, panel.write, its.plot)  # an axis has a length if all are 0
    if panel.line:
        axes.axvline(panel.line, color=axes.xaxis.label.get_color(), linestyle="--", linewidth=1.2, label="line")


def draw_points(axes: Axes, entry: Entry, at: float, canvas: Canvas) -> None:
    """Draw the points of a row with their spreads; those of then are a little lower, so that they hide nothing."""
    its = canvas.colours
    others = its.ink if entry.kind == "baseline" else its.soft
    row = colour(canvas.look, entry.model) if entry.kind == "model" else others
    for point in entry.points:
        name = f"{point.style} {entry.label}"
        if point.style == "bar":
            axes.barh(at, point.values[0], 14, color=row, label=name)
            spread = {"color": its.soft if entry.kind == "baseline" else its.ink, "linewidth": 1.3}
        else:
            ink = STYLES[point.style].ink
            own = getattr(its, ink) if ink else row
            low, joined = (LOWER if point.style == "then" else 0), len(point.values) > 1
            how = marker_style(point.style, its.page, joined) | {"linewidth": 1 if low else 2, "clip_on": False}
            axes.plot(point.values, [at + low] * len(point.values), color=own, label=name, **how)
            spread = {"color": own, "linewidth": 2, "alpha": 0.6}
        if point.spread and point.spread[0] < point.spread[1]:
            above = 2.1 if point.style == "bar" else 1.9
            axes.plot(point.spread, [at, at], solid_capstyle="butt", zorder=above, **spread)


def write_label(axes: Axes, entry: Entry, middle: float, its: Layout, canvas: Canvas) -> None:
    """Write what a row is, beside it or above it."""
    if its.tall:
        write(axes, its, its.labels, middle - 10, entry.label, bbox=background(canvas))
    else:
        write(axes, its, its.labels - 6, middle, entry.label, ha="right")


def write_headings(axes: Axes, panel: Panel, its: Layout, canvas: Canvas) -> None:
    """Write the name of each group above its first row."""
    group = ""
    for entry, middle in zip(panel.entries, its.middles, strict=True):
        if entry.group != group:
            up = (TALL_ROW if its.tall else ROW) / 2 + HEADING / 2 - 3
            write(axes, its, 0, middle - up, entry.group, fontweight="bold", bbox=background(canvas))
        group = entry.group


def background(canvas: Canvas) -> dict[str, Any]:
    """Return what lies behind words on the axes; else the grid runs through them."""
    return {"facecolor": canvas.colours.page, "edgecolor": "none", "pad": 0.5}


def write(axes: Axes, its: Layout, left: float, top: float, text: str, **how: Any) -> None:
    """Write text at this place, counted from the left of the panel and from the top of the axes."""
    axes.text((left - its.labels) / its.plot, top, text, transform=axes.get_yaxis_transform(), va="center", **how)
