"""Bars, one above the other: each shows a figure, its spread, and a mark to compare it with."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.report import axis
from benchmarks.report.canvas import (
    FAMILIES,
    NARROW,
    WIDE,
    Canvas,
    colour,
    colours,
    family,
    in_style,
    key_height,
    width_of,
)
from benchmarks.report.look import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

ROW, TALL_ROW, TITLE, FOOT, GAP = 22.0, 36.0, 30.0, 50.0, 30.0
TICK_SPACE = 18
"""Half of the words at a tick: those would be cut off where nothing stands beside the bars."""
POINT = 72 / 96
"""Points in a pixel."""
FAR = 8
"""From this ratio on, the shortest bar of a linear axis is hardly to be seen."""
MOST_LABEL = 0.42
"""Labels that take more than this part of the width stand above their bars."""


@dataclass(frozen=True)
class Bar:
    """One bar: a figure with its spread and its mark."""

    label: str
    value: float
    model: str | None
    """It gives the colour."""
    low: float
    high: float
    mark: float | None = None
    """What the value is held against: the baseline, or the figure of then."""
    kind: str = "model"
    """Only models have their model's colour; a baseline has that of ink."""


@dataclass(frozen=True)
class Panel:
    """Several bars on one axis."""

    title: str
    bars: list[Bar]
    axis: str
    write: Callable[[float], str]
    """A value in words."""
    log: bool = True
    line: float | None = None
    """A value that is marked across all bars."""


def panel_of(title: str, bars: list[Bar], axis: str, write: Callable[[float], str]) -> Panel:
    """Return a panel with a log axis if the values are far apart; otherwise the axis begins at zero."""
    values = [value for bar in bars for value in (bar.low, bar.high, bar.mark) if value]
    far = max(values) / min(values) > FAR
    return Panel(title, bars, f"{axis} (log)" if far else axis, write, far)


@dataclass(frozen=True)
class Key:
    """The key: what is explained above the bars."""

    models: list[str] = field(default_factory=list)
    """Of the families of these."""
    mark: str = ""
    peers: str = ""
    baselines: str = ""
    line: str = ""


def drawing(panels: list[Panel], key: Key, across: int = 1) -> Callable[[Look], Figure]:
    """Return a function that draws these panels; in the wide look, several are side by side."""

    @in_style
    def draw(look: Look) -> Figure:
        handles, columns = handles_of(key, look), 1 if look.narrow else across
        rows = [panels[start : start + columns] for start in range(0, len(panels), columns)]
        heights = [max(height_of(panel, width(look, columns), look) for panel in row) for row in rows]
        canvas, top = Canvas(look, key_height(look, handles) + sum(heights)), key_height(look, handles)
        least = label_width(panels, look) if columns == 1 else 0
        for row, height in zip(rows, heights, strict=True):
            for number, panel in enumerate(row):
                add(canvas, panel, number * (width(look, columns) + GAP), top, width(look, columns), least)
            top += height
        canvas.key(handles)
        return canvas.figure

    return draw


def handles_of(key: Key, look: Look) -> list[Line2D | Patch]:
    """Return the samples in the key."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    its = colours(look)
    found: list[Line2D | Patch] = []
    shown = [name for name in FAMILIES if name in set(map(family, key.models))]
    found += [Patch(color=its.families[name], label=name) for name in shown]
    found += [Patch(color=its.soft, label=key.peers)] if key.peers else []
    found += [Patch(color=its.ink, label=key.baselines)] if key.baselines else []
    found += [Line2D([], [], color=its.ink, marker="D", markersize=6, linestyle="", label=key.mark)] if key.mark else []
    found += [Line2D([], [], color=its.ink, linestyle="--", label=key.line)] if key.line else []
    return found


def width(look: Look, columns: int) -> float:
    """Return the width of a panel."""
    whole = NARROW if look.narrow else WIDE
    return (whole - GAP * (columns - 1)) / columns


def label_width(panels: list[Panel], look: Look) -> float:
    """Return the width of the longest label that stands beside its bar."""
    beside = [panel for panel in panels if not is_tall(panel, width(look, 1), look)]
    return width_of(look, [bar.label for panel in beside for bar in panel.bars]) + 6


def is_tall(panel: Panel, space: float, look: Look) -> bool:
    """Return whether the labels have to stand above the bars."""
    return width_of(look, [bar.label for bar in panel.bars]) > MOST_LABEL * space


def height_of(panel: Panel, space: float, look: Look) -> float:
    """Return the height of a panel with all its text."""
    row = TALL_ROW if is_tall(panel, space, look) else ROW
    return row * len(panel.bars) + FOOT + (TITLE if panel.title else 0)


def add(canvas: Canvas, panel: Panel, left: float, top: float, space: float, least: float) -> None:
    """Draw a panel into this much room; labels beside the bars take so much at least."""
    look, tall = canvas.look, is_tall(panel, space, canvas.look)
    labels = 6 if tall else max(least, label_width([panel], look))
    values = width_of(look, [panel.write(bar.value) for bar in panel.bars]) + 10
    if panel.title:
        canvas.words(left, top + 6, panel.title, fontweight="bold")
        top += TITLE
    height = (TALL_ROW if tall else ROW) * len(panel.bars)
    plot = space - labels - values
    axes = canvas.axes(left + labels, top, plot, height)
    for row, bar in enumerate(panel.bars):
        one(axes, bar, row, panel, canvas, tall, values)
    scale(axes, panel, plot, tall)
    canvas.words(left + space - 2, top + height + 26, panel.axis, ha="right", color=canvas.colours.soft)


def scale(axes: Axes, panel: Panel, pixels: float, tall: bool) -> None:
    """Set the ends and the ticks of the axes."""
    axes.set_ylim(len(panel.bars) - 0.5, -0.5)
    axes.yaxis.set_visible(False)
    marks = [bar.mark for bar in panel.bars if bar.mark] + ([panel.line] if panel.line else [])
    values = [*(bar.high for bar in panel.bars), *(bar.low for bar in panel.bars), *marks]
    if panel.log:
        axis.log(axes, "x", min(values) / 1.6, max(values) * 1.25, panel.write, pixels, TICK_SPACE if tall else 0)
    else:
        axis.linear(axes, max(values) * 1.05 or 1.0, panel.write, pixels)  # an axis has a length if all are 0
    if panel.line:
        axes.axvline(panel.line, color=axes.xaxis.label.get_color(), linestyle="--", linewidth=1.2, label="line")


def one(axes: Axes, bar: Bar, row: int, panel: Panel, canvas: Canvas, tall: bool, values: float) -> None:
    """Draw one bar with its spread, its mark and its label."""
    its, look = canvas.colours, canvas.look
    fill = colour(look, bar.model) if bar.kind == "model" else its.ink if bar.kind == "baseline" else its.soft
    at, thick = (row + 0.17, 0.36) if tall else (row, 0.64)
    axes.barh(at, bar.value, thick, color=fill, label=f"bar {bar.label}")
    if bar.high > bar.low:
        axes.plot([bar.low, bar.high], [at, at], color=its.ink if bar.kind != "baseline" else its.soft, linewidth=1.3)
    if bar.mark is not None:
        axes.plot(bar.mark, at, "D", color=its.ink, markeredgecolor=its.page, markersize=7, label=f"mark {bar.label}")
    how: dict[str, Any] = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points", "va": "center"}
    if tall:
        behind = {"facecolor": its.page, "edgecolor": "none", "pad": 0.5}  # else the grid runs through the words
        axes.annotate(bar.label, (0, row - 0.24), (0, 0), ha="left", bbox=behind, **how)
    else:
        axes.annotate(bar.label, (0, at), (-5, 0), ha="right", **how)
    axes.annotate(panel.write(bar.value), (1, at), ((values - 2) * POINT, 0), ha="right", **how)


__all__ = ["Bar", "Key", "Panel", "drawing", "panel_of"]
