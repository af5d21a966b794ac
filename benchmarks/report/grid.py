"""A table in colour: a row for each model, a column for each program; the darker, the slower beside the fastest."""

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from benchmarks.report.canvas import Canvas, in_style, letters, width_of
from benchmarks.report.look import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW, HEAD, GAP, NOTE = 26.0, 34.0, 16.0, 30.0
NARROW_COLUMNS = 3
FARTHEST = 30.0
"""So many times the fastest has the strongest colour."""


@dataclass(frozen=True)
class Grid:
    """Figures by model and column."""

    models: list[str]
    columns: list[str]
    values: dict[tuple[str, str], float]
    write: Callable[[float], str]

    def share(self, model: str, column: str) -> float:
        """Return how far a figure is behind the fastest of its column: 0 is the fastest, 1 is `FARTHEST` and more."""
        best = min(value for (_, other), value in self.values.items() if other == column)
        return min(1.0, log(self.values[model, column] / best) / log(FARTHEST))


def drawing(grid: Grid) -> Callable[[Look], Figure]:
    """Return a function that draws the grid; in the narrow look, in blocks of a few columns."""

    @in_style
    def draw(look: Look) -> Figure:
        step = NARROW_COLUMNS if look.narrow else len(grid.columns)
        blocks = [grid.columns[start : start + step] for start in range(0, len(grid.columns), step)]
        each = HEAD + ROW * len(grid.models) + GAP
        canvas = Canvas(look, each * len(blocks) + NOTE)
        for number, columns in enumerate(blocks):
            block(canvas, grid, columns, number * each, step)
        note = f"colour: times the fastest of the column, to {FARTHEST:.0f}"
        canvas.words(canvas.width - 2, each * len(blocks), note, ha="right", color=canvas.colours.soft)
        return canvas.figure

    return draw


def block(canvas: Canvas, grid: Grid, columns: list[str], top: float, step: int) -> None:
    """Draw some columns with the names of the models before them."""
    labels = width_of(canvas.look, grid.models) + 8
    each = (canvas.width - labels) / step
    height = ROW * len(grid.models)
    axes = canvas.axes(labels, top + HEAD, each * len(columns), height)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.set_xlim(0, len(columns))
    axes.set_ylim(len(grid.models), 0)
    small = letters(canvas.look) * 0.72 * (0.92 if not canvas.look.narrow else 1)
    axes.xaxis.set_ticks_position("top")
    axes.set_xticks([number + 0.5 for number in range(len(columns))], columns, fontsize=small)
    axes.set_yticks([number + 0.5 for number in range(len(grid.models))], grid.models, color=canvas.colours.ink)
    for row, model in enumerate(grid.models):
        for column, name in enumerate(columns):
            if (model, name) in grid.values:
                cell(axes, grid, model, name, (row, column), canvas)


def cell(axes: Axes, grid: Grid, model: str, column: str, at: tuple[int, int], canvas: Canvas) -> None:
    """Write one figure on its colour."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgb
    from matplotlib.patches import Rectangle

    its = canvas.colours
    scale = LinearSegmentedColormap.from_list("slower", [its.page, its.families["threads"]])
    fill = scale(0.04 + 0.9 * grid.share(model, column))
    row, left = at
    axes.add_patch(
        Rectangle((left, row), 1, 1, facecolor=fill, edgecolor=its.rule, linewidth=0.6, label=f"cell {model}")
    )
    ink = max((its.ink, its.page), key=lambda ink: contrast(to_rgb(ink), fill[:3]))
    axes.text(left + 0.5, row + 0.5, grid.write(grid.values[model, column]), ha="center", va="center", color=ink)


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """Return how well one colour can be read on the other, by the formula of the accessibility guidelines."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: tuple[float, ...]) -> float:
    """Return how bright a colour is."""
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


__all__ = ["Grid", "drawing"]
