"""The kit for lines along a size: small pictures side by side, in each some lines in colour and all others in grey.

With two sizes and `slopes` they show from where to where each model goes, and how far.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf, log10
from typing import TYPE_CHECKING, Any

from benchmarks.report import axis
from benchmarks.report.canvas import (
    DASHES,
    MARKS,
    Canvas,
    colour,
    colours,
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
BESIDE = 10
"""Pixels between the axes and the names at the ends of the lines."""
TALL = 1.7
"""Where slopes are drawn, a picture has so many times that height."""
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
    by_hand: dict[str, Line] = field(default_factory=dict)
    """The baselines of those in colour: dotted, in ink."""
    models: Mapping[str, str] = field(default_factory=dict)
    """By name: the model whose colour a line has, where its name is not that of a model."""
    slopes: bool = False
    """Whether names have the last value beside them, all lines look alike, and less is above."""
    thick: str = ""
    """The name of the line that is thicker than others."""

    @property
    def lines(self) -> list[Line]:
        """Every line that is drawn."""
        return [line for group in (self.shown, self.behind, self.by_hand) for line in group.values()]

    @property
    def names(self) -> dict[str, str]:
        """The text at the end of each line in colour."""
        return {it: f"{it} {self.write(line[-1][1])}" if self.slopes else it for it, line in self.shown.items()}

    @property
    def places(self) -> dict[float, float]:
        """The position of each size on the axis; "all" and "inf" come after the last number."""
        sizes = sorted({size for line in self.lines for size, _ in line})
        if self.by_ratio and all(0 < size < inf for size in sizes):
            return {size: log10(size) for size in sizes}
        return {size: float(number) for number, size in enumerate(sizes)}

    def style(self, name: str) -> tuple[str, dict[str, Any]]:
        """Return the model whose colour a line has, and how it is drawn: marks and dashes tell those of a colour
        apart."""
        model = self.models.get(name, name)
        if self.slopes:
            width = {"linewidth": 4, "markersize": 9} if name == self.thick else {"linewidth": 1.4, "markersize": 5}
            return model, {"marker": "o", "clip_on": False, **width}
        same = [it for it in self.shown if family(self.models.get(it, it)) == family(model)]
        number = same.index(name) % len(MARKS) if name in self.models else place(name)
        return model, {"marker": MARKS[number], "linestyle": DASHES[number], "markersize": 5, "linewidth": 1.8}


def drawing(parts: list[Part], same_axis: bool = True, across: int = 2) -> Callable[[Look], Figure]:
    """Return a function that draws these parts: with the same y axis, or each with its own; in the wide look so many
    are side by side."""

    @in_style
    def draw(look: Look) -> Figure:
        columns, plot = (1, NARROW_PLOT) if look.narrow else (across, WIDE_PLOT)
        plot *= TALL if parts[0].slopes else 1
        each = TITLE + plot + FOOT
        canvas = Canvas(look, each * -(-len(parts) // columns))
        space = (look.width - GAP * (columns - 1)) / columns
        names = width_of(look, [name for part in parts for name in part.names.values()]) + BESIDE + 6
        for number, part in enumerate(parts):
            row, column = divmod(number, columns)
            box = (column * (space + GAP), row * each, space, plot)
            draw_part(canvas, part, box, names, span(parts if same_axis else [part]))
        return canvas.figure

    return draw


def span(parts: list[Part]) -> tuple[float, float]:
    """Return a range from below the lowest to above the highest value."""
    values = [value for part in parts for line in part.lines for _, value in line]
    return min(values) / 1.4, max(values) * 1.4


def draw_part(
    canvas: Canvas, part: Part, box: tuple[float, float, float, float], names: float, ends: tuple[float, float]
) -> None:
    """Draw one at this place, so wide and with axes so high; names at the ends of lines take so much of the width."""
    left, top, space, plot = box
    look, soft = canvas.look, canvas.colours.soft
    values = width_of(look, ["100 ms"]) + (24 if part.thick else 6)
    width, right = space - values - names, left + space
    canvas.words(left, top + 6, part.title, fontweight="bold")
    canvas.words(right - 2, top + 6, part.across, ha="right", color=soft)
    axes = canvas.axes(left + values, top + TITLE, width, plot)
    draw_lines(axes, part, canvas)
    set_ticks(axes, part, width, look)
    axis.log(axes, "y", *ends, part.write, plot * (1.2 if part.slopes else 1.4))
    if part.slopes:
        axes.invert_yaxis()
    canvas.words(right - names, top + TITLE + plot + 28, part.below, ha="right", color=soft)
    name_lines(axes, part, look, plot)


def draw_lines(axes: Axes, part: Part, canvas: Canvas) -> None:
    """Draw all lines: those in grey, those of baselines, and those in colour."""
    its, places = canvas.colours, part.places
    grey = {"color": its.rule, "linewidth": 1, "zorder": 1.5}
    kinds: list[tuple[str, dict[str, Line], dict[str, Any]]] = [
        ("behind", part.behind, grey),
        ("by hand", part.by_hand, {"color": its.ink, "linestyle": ":", "linewidth": 1.6}),
        ("line", part.shown, {}),
    ]
    for kind, lines, how in kinds:
        for name, line in lines.items():
            if kind == "line":
                model, style = part.style(name)
                how = style | {"color": colour(canvas.look, model)}
            axes.plot([places[it] for it, _ in line], [value for _, value in line], label=f"{kind} {name}", **how)


def set_ticks(axes: Axes, part: Part, pixels: float, look: Look) -> None:
    """Set the ticks of the x axis: all sizes, except where two would touch."""
    places = part.places
    least, most = min(places.values()), max(places.values())
    margin = (most - least or 1) * 0.05
    axes.set_xlim(least - margin, most + margin)
    scale = pixels / (most - least + 2 * margin)
    half = {size: width_of(look, [part.ticks(size)]) / 2 for size in places}
    kept: list[float] = []
    for size in sorted(places, key=lambda size: (not is_round(size), size)):
        if part.slopes or all(abs(places[size] - places[it]) * scale > half[size] + half[it] + 3 for it in kept):
            kept.append(size)
    axes.set_xticks([places[size] for size in kept], [part.ticks(size) for size in kept])


def is_round(size: float) -> bool:
    """Return whether this is a power of ten or at an end of the numbers: such a size keeps its tick."""
    return size in (0, inf) or log10(size).is_integer()


def name_lines(axes: Axes, part: Part, look: Look, pixels: float) -> None:
    """Write names beside the ends of the lines, moved so that they do not overlap, with a thin line to each."""
    lowest, highest = sorted(map(log10, axes.get_ylim()))
    places, names = part.places, part.names
    ends = sorted((log10(line[-1][1]), name) for name, line in part.shown.items())
    least = letters(look) * 1.2 * (highest - lowest) / pixels
    ups = spread_out([at for at, _ in ends], least, lowest, highest)
    for (_, name), up in zip(ends, ups, strict=True):
        model, _ = part.style(name)
        how: dict[str, Any] = {"va": "center", "color": for_words(look, model), "annotation_clip": False}
        how |= {"fontweight": "bold" if name == part.thick else "normal"}
        thin = {"arrowstyle": "-", "color": colour(look, model), "linewidth": 0.6, "shrinkB": 0, "relpos": (0, 0.5)}
        size, value = part.shown[name][-1]
        beside = (1 + BESIDE * (2 if part.slopes else 1) / axes.bbox.width, 10**up)
        axes.annotate(
            names[name], (places[size], value), beside, textcoords=axes.get_yaxis_transform(), arrowprops=thin, **how
        )
        if name == part.thick:
            write_begin(axes, part, name, how | {"color": for_words(look, model)}, look)


def write_begin(axes: Axes, part: Part, name: str, how: dict[str, Any], look: Look) -> None:
    """Write where a line begins, over a tick that is near."""
    size, value = part.shown[name][0]
    behind = {"facecolor": colours(look).page, "edgecolor": "none", "pad": 1}
    at = {"xy": (part.places[size], value), "xytext": (-9, 0), "textcoords": "offset points", "ha": "right"}
    axes.annotate(part.write(value), **at, **how, bbox=behind)


def spread_out(at: list[float], least: float, lowest: float, highest: float) -> list[float]:
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
