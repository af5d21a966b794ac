"""The canvas of all charts: colours, fonts, and places given in pixels of the page.

The colours are those of Okabe and Ito, which people of every kind of colour sight can tell apart. A family of models
has one of them; within a family the labels stand at the lines, so that no colour has to be remembered.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, wraps
from typing import TYPE_CHECKING, Any

from benchmarks.report.look import Look
from concmodels import catalog, facts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

_TITLES = {"boundary": "processes and interpreters"}
FAMILIES = {
    _TITLES.get(family, family): tuple(models) for family in facts.FAMILIES if (models := catalog.names(family=family))
}
LIGHT = dict(zip(FAMILIES, ("#0072b2", "#d55e00", "#009e73", "#cc79a7"), strict=True))
DARK = dict(zip(FAMILIES, ("#56b4e9", "#e69f00", "#009e73", "#cc79a7"), strict=True))
MARKS = "os^D"
DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))
PER_INCH = 96
LETTER = 0.62
"""How wide a letter of the font is at most, on average: parts of its height."""


@dataclass(frozen=True)
class Colours:
    """The colours of one look."""

    page: str
    ink: str
    soft: str
    """Words that matter less, and bars of what is not ours."""
    rule: str
    """Lines behind the figures."""
    good: str
    bad: str
    families: dict[str, str]


DAY = Colours("#ffffff", "#1b1f24", "#6b7480", "#d5dae0", "#0072b2", "#d55e00", LIGHT)
NIGHT = Colours("#131416", "#e8ebee", "#98a2ad", "#3a424b", "#56b4e9", "#e69f00", DARK)

PLAIN = ("page", "ink", "soft", "rule", "good", "bad")
COLOUR = re.compile(r"#[0-9a-f]{6}\b")


def colours(look: Look) -> Colours:
    """Return the colours of this look."""
    return NIGHT if look.dark else DAY


def family(model: str | None) -> str:
    """Return the family of a model or variant, under any Python; an empty text if it has none."""
    name = bare(model or "").partition(":")[0]
    return next((family for family, models in FAMILIES.items() if name in models), "")


def colour(look: Look, model: str | None) -> str:
    """Return the colour of a model's family."""
    return colours(look).families.get(family(model), colours(look).soft)


def for_words(look: Look, model: str | None) -> str:
    """Return the same colour nearer to that of ink, for text."""
    from matplotlib.colors import to_hex, to_rgb

    pair = to_rgb(colour(look, model)), to_rgb(colours(look).ink)
    red, green, blue = (0.6 * one + 0.4 * other for one, other in zip(*pair, strict=True))
    return to_hex((red, green, blue))


def in_the_dark(svg: str) -> str | None:
    """Return a picture drawn for a light page in the colours of a dark one; None if it has colours that depend on the
    page in another way, such as the squares of a grid, which are mixed with its ground."""
    known = _in_the_dark()
    if not known.keys() >= set(COLOUR.findall(svg)):
        return None
    return COLOUR.sub(lambda found: known[found[0]], svg)


@cache
def _in_the_dark() -> dict[str, str]:
    """Return the colours of a dark page by those of a light one, words in the colour of a family too."""
    light, dark = ([*map(it.__getitem__, PLAIN), *it["families"].values()] for it in (vars(DAY), vars(NIGHT)))
    models = [None, *(models[0] for models in FAMILIES.values())]
    light += (for_words(Look(), it) for it in models)
    dark += (for_words(Look(dark=True), it) for it in models)
    return dict(zip(light, dark, strict=True))


def place(model: str) -> int:
    """Return the position of a model in its family, which decides on its mark and its dashes; those of another Python
    have others."""
    name = bare(model)
    position = next((models.index(name) for models in FAMILIES.values() if name in models), 0)
    return position if name == model else (position + 2) % len(MARKS)


def bare(name: str) -> str:
    """Return the name of a model without the Python that charts may have behind it."""
    return name.partition(", ")[0]


def letters(look: Look) -> float:
    """Return the height of letters in pixels."""
    return 12.0 if look.narrow else 13.0


def width_of(look: Look, texts: Iterable[str]) -> float:
    """Return roughly how many pixels the longest of these texts takes."""
    return LETTER * letters(look) * max(map(len, texts), default=0)


@contextmanager
def styled(look: Look) -> Iterator[None]:
    """Return the settings of matplotlib for this look."""
    import matplotlib

    its, points = colours(look), letters(look) * 72 / PER_INCH
    fonts = {"font.family": "sans-serif", "font.size": points}
    fonts |= dict.fromkeys(("axes.labelsize", "xtick.labelsize", "ytick.labelsize"), points)
    inks = dict.fromkeys(("text.color", "axes.labelcolor"), its.ink)
    inks |= dict.fromkeys(("xtick.color", "ytick.color"), its.soft) | {"axes.edgecolor": its.rule}
    inks |= dict.fromkeys(("axes.facecolor", "figure.facecolor"), its.page)
    always: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "concmodels", "axes.linewidth": 0.8}
    with matplotlib.rc_context(always | fonts | inks):
        yield


def in_style(draw: Callable[[Look], Figure]) -> Callable[[Look], Figure]:
    """Return the function in a form that always draws in the style of its look."""

    @wraps(draw)
    def drawn(look: Look) -> Figure:
        with styled(look):
            return draw(look)

    return drawn


class Canvas:
    """A figure of so many pixels, on which axes are placed from the top left."""

    def __init__(self, look: Look, height: float) -> None:
        from matplotlib.figure import Figure

        self.look = look
        self.colours = colours(look)
        self.width, self.height = look.width, height
        self.figure = Figure(figsize=(self.width / PER_INCH, height / PER_INCH), dpi=PER_INCH)

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Return new axes without a frame, with grid lines behind them."""
        bottom = self.height - top - height
        place = (left / self.width, bottom / self.height, width / self.width, height / self.height)
        axes = self.figure.add_axes(place)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.set_autoscale_on(False)
        axes.tick_params(length=0)
        axes.set_axisbelow(True)
        axes.grid(True, color=self.colours.rule, linewidth=0.6)
        return axes

    def words(self, left: float, top: float, text: str, **how: Any) -> None:
        """Write text with its upper left corner at this place."""
        how = {"va": "top", "ha": "left"} | how
        self.figure.text(left / self.width, 1 - top / self.height, text, **how)

    def key(self, handles: list[Line2D | Patch]) -> None:
        """Draw the key at the top: what the colours and marks mean."""
        columns = 1 if self.look.narrow else len(handles)
        place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0, 1), "ncols": columns, "frameon": False}
        self.figure.legend(handles=handles, borderpad=0.2, handlelength=1.6, columnspacing=1.4, **place)


def key_height(look: Look, handles: list[Line2D | Patch]) -> float:
    """Return how much of the top the key takes."""
    lines = len(handles) if look.narrow else 1
    return lines * letters(look) * 1.55 + 12 if handles else 0
