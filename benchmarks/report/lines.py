"""Lines along a size: small pictures side by side, in each some models in colour, and all others in grey behind."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, log10
from typing import TYPE_CHECKING, Any

from benchmarks.report import axis
from benchmarks.report.canvas import (
    DASHES,
    MARKS,
    Canvas,
    colour,
    family,
    for_words,
    in_style,
    letters,
    place,
    width_of,
)
from benchmarks.report.look import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE, FOOT, GAP = 30.0, 52.0, 26.0
WIDE_PLOT, NARROW_PLOT = 230.0, 190.0
Line = list[tuple[float, float]]
"""Places along the size, and the values there."""


@dataclass(frozen=True)
class Part:
    """One of the small pictures."""

    title: str
    shown: dict[str, Line]
    """By model, or by another name: in colour, with the name at the end."""
    behind: dict[str, Line]
    below: str
    """What the x axis is."""
    across: str
    """What the y axis is; it stands beside the title."""
    write: Callable[[float], str]
    ticks: Callable[[float], str]
    """A place along the size in words."""
    by_ratio: bool = False
    """Whether places lie as far apart as their ratios, rather than evenly."""
    by_hand: dict[str, Line] | None = None
    """The baselines of those in colour: dotted, in ink."""
    models: dict[str, str] = field(default_factory=dict)
    """By name: the model whose colour a line has, where its name is not that of a model."""

    def style(self, name: str) -> tuple[str, int]:
        """Return the model whose colour a line has, and its place among the lines of that colour."""
        if name not in self.models:
            return name, place(name)
        model = self.models[name]
        same = [it for it in self.shown if family(self.models.get(it, it)) == family(model)]
        return model, same.index(name) % len(MARKS)


@dataclass(frozen=True)
class Box:
    """The place of one of the small pictures, in pixels."""

    left: float
    top: float
    space: float
    """Its width, words included."""
    plot: float
    """The height of its axes."""
    names: float
    """What the names at the ends of the lines take of the width."""


def drawing(parts: list[Part], together: bool = True, across: int = 2) -> Callable[[Look], Figure]:
    """Return a function that draws these parts; `together` gives all the same y axis, and in the wide look so many are
    side by side."""

    @in_style
    def draw(look: Look) -> Figure:
        columns, plot = (1, NARROW_PLOT) if look.narrow else (across, WIDE_PLOT)
        each = TITLE + plot + FOOT
        canvas = Canvas(look, each * -(-len(parts) // columns))
        space = (canvas.width - GAP * (columns - 1)) / columns
        names = width_of(look, [name for part in parts for name in part.shown]) + 14
        for number, part in enumerate(parts):
            row, column = divmod(number, columns)
            box = Box(column * (space + GAP), row * each, space, plot, names)
            add(canvas, part, box, span(parts if together else [part]))
        return canvas.figure

    return draw


def span(parts: list[Part]) -> tuple[float, float]:
    """Return a range from below the lowest to above the highest value."""
    groups = [group for part in parts for group in (part.shown, part.behind, part.by_hand or {})]
    values = [value for group in groups for line in group.values() for _, value in line]
    return min(values) / 1.4, max(values) * 1.4


def add(canvas: Canvas, part: Part, box: Box, ends: tuple[float, float]) -> None:
    """Draw one into this box."""
    look, soft = canvas.look, canvas.colours.soft
    values = width_of(look, ["100 ms"]) + 6
    width, right = box.space - values - box.names, box.left + box.space
    canvas.words(box.left, box.top + 6, part.title, fontweight="bold")
    canvas.words(right - 2, box.top + 6, part.across, ha="right", color=soft)
    axes = canvas.axes(box.left + values, box.top + TITLE, width, box.plot)
    where = places(part)
    strokes(axes, where, part, canvas)
    bottom(axes, part, where, width, look)
    axis.log(axes, "y", *ends, part.write, box.plot * 1.4)
    canvas.words(right - box.names, box.top + TITLE + box.plot + 28, part.below, ha="right", color=soft)
    label(axes, where, part, look, box.plot)


def strokes(axes: Axes, where: dict[float, float], part: Part, canvas: Canvas) -> None:
    """Draw all lines: those in grey, those of baselines, and those in colour."""
    its = canvas.colours
    for name, line in part.behind.items():
        stroke(axes, where, line, color=its.rule, linewidth=1, zorder=1.5, label=f"behind {name}")
    for name, line in (part.by_hand or {}).items():
        stroke(axes, where, line, color=its.ink, linestyle=":", linewidth=1.6, label=f"by hand {name}")
    for name, line in part.shown.items():
        coloured(axes, where, name, line, part.style(name), canvas.look)


def places(part: Part) -> dict[float, float]:
    """Return the position of each size on the axis; "all" and "inf" come after the last number."""
    groups = (part.shown, part.behind, part.by_hand or {})
    sizes = sorted({size for group in groups for line in group.values() for size, _ in line})
    if part.by_ratio and all(0 < size < inf for size in sizes):
        return {size: log10(size) for size in sizes}
    return {size: float(number) for number, size in enumerate(sizes)}


def stroke(axes: Axes, where: dict[float, float], line: Line, **how: Any) -> None:
    """Draw one line."""
    axes.plot([where[size] for size, _ in line], [value for _, value in line], **how)


def coloured(axes: Axes, where: dict[float, float], name: str, line: Line, its: tuple[str, int], look: Look) -> None:
    """Draw a line that the chart is about, in the colour of its model and with the marks of its place."""
    model, number = its
    style: dict[str, Any] = {
        "marker": MARKS[number],
        "linestyle": DASHES[number],
        "markersize": 5,
        "linewidth": 1.8,
    }
    stroke(axes, where, line, color=colour(look, model), label=f"line {name}", **style)


def bottom(axes: Axes, part: Part, where: dict[float, float], pixels: float, look: Look) -> None:
    """Set the ticks of the x axis: all sizes, except where two would touch."""
    least, most = min(where.values()), max(where.values())
    margin = (most - least or 1) * 0.05
    axes.set_xlim(least - margin, most + margin)
    scale = pixels / (most - least + 2 * margin)
    half = {size: width_of(look, [part.ticks(size)]) / 2 for size in where}
    kept: list[float] = []
    for size in sorted(where, key=lambda size: (not is_round(size), size)):
        if all(abs(where[size] - where[other]) * scale > half[size] + half[other] + 3 for other in kept):
            kept.append(size)
    axes.set_xticks([where[size] for size in kept], [part.ticks(size) for size in kept])


def is_round(size: float) -> bool:
    """Return whether this is a power of ten or at an end of the numbers: such a size keeps its tick."""
    return size in (0, inf) or log10(size).is_integer()


def label(axes: Axes, where: dict[float, float], part: Part, look: Look, pixels: float) -> None:
    """Write names at the ends of the lines, moved so that they do not overlap."""
    lowest, highest = map(log10, axes.get_ylim())
    per = (highest - lowest) / pixels
    ends = sorted((log10(line[-1][1]), name) for name, line in part.shown.items())
    ups = apart([at for at, _ in ends], letters(look) * 1.15 * per, lowest, highest)
    right = max(where.values())
    for (_, name), up in zip(ends, ups, strict=True):
        line, (model, _) = part.shown[name], part.style(name)
        how: dict[str, Any] = {
            "textcoords": "offset points",
            "va": "center",
            "color": for_words(look, model),
            "annotation_clip": False,
        }
        axes.annotate(name, (right, 10**up), (9, 0), **how)
        if where[line[-1][0]] < right:
            leader = [(where[line[-1][0]], right), (line[-1][1], 10**up)]
            axes.plot(*leader, color=colour(look, model), linewidth=0.5, linestyle=":", zorder=1.6)


def apart(at: list[float], least: float, lowest: float, highest: float) -> list[float]:
    """Return these places in the same order, at least so far from each other, and within the two limits."""
    found: list[float] = []
    for own in at:
        found.append(max(own, found[-1] + least) if found else max(own, lowest))
    over = [up - own for up, own in zip(found, at, strict=True)]
    shift = sum(over) / len(over) if over else 0
    found = [up - shift for up in found]
    if found and found[-1] > highest:
        found = [up - (found[-1] - highest) for up in found]
    if found and found[0] < lowest:
        found = [up + lowest - found[0] for up in found]
    return found


__all__ = ["Line", "Part", "drawing"]
