"""The roles `measured` and `ratio`: figures in a sentence, from the result."""

import statistics
from collections.abc import Callable, Collection

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from benchmarks.disturbance import MARK, is_disturbed
from benchmarks.report import words
from benchmarks.result import Row
from benchmarks.rounds import Interval, compared, interval
from concdocs.places import Mistake, NotMeasured, warn
from concdocs.results import digits, duration, figure, not_there, row, split

NOWHERE = "(not measured)"
"""In the place of a figure that is not there."""
DISTURBED = "Other programs or the host disturbed a round, or the load generator was at its limit."


def measured(text: str) -> str:
    """`ROW`, `ROW|per_second`, `ROW|short` (without "per hop"), `ROW|spread`, `ROW|figure NAME`, `ROW|figure NAME
    spread` or `ROW|parameter NAME` in words."""
    name, _, what = (part.strip() for part in text.partition("|"))
    found = row(name)
    match what.split():
        case []:
            return f"{duration(found.median)} per {found.step}"
        case ["short"]:
            return duration(found.median)
        case ["spread"]:
            return spread(interval(found.seconds.values()), duration)
        case ["per_second"]:
            return f"{float(f'{found.per_second:.3g}'):,.0f} {found.step}s per second"
        case ["parameter", wanted] if wanted in found.parameters:
            return words.value(found.parameters[wanted])
        case ["figure", wanted]:
            return figure(wanted, statistics.median(values(name, found, wanted)))
        case ["figure", wanted, "spread"]:
            return spread(interval(values(name, found, wanted)), lambda value: figure(wanted, value))
    raise Mistake(f"{what!r} is none of: per_second, short, spread, figure NAME, figure NAME spread, parameter NAME")


def values(name: str, found: Row, wanted: str) -> Collection[float]:
    """The values of a figure in all rounds. Raises `Mistake` if the row has none of this name, or `NotMeasured`."""
    known = found.by_round(wanted).values()
    if not known:
        raise not_there(split(name)[0], f"{name} has no figure {wanted!r}; it has {', '.join(sorted(found.figures))}")
    return known


def spread(it: Interval, write: Callable[[float], str]) -> str:
    """The median with its interval, or alone where all are written alike."""
    median, low, high = map(write, it[:3])
    return median if low == high else f"{median} ({low} to {high})"


def ratio(text: str) -> str:
    """`ROW / ROW`: how many times longer a step of the first takes; `|spread` takes it round by round, and `|figure
    NAME` compares another figure. The blanks around the slash tell it from a path."""
    both, _, what = (part.strip() for part in text.partition("|"))
    first, slash, second = both.partition(" / ")
    if not slash:
        raise Mistake(f"{text!r} is no ratio: it is ROW / ROW, with blanks around the slash")
    match what.split():
        case []:
            return f"{times(row(first).median / row(second).median)} times"
        case ["spread"]:
            return spread_ratio(first, second, "seconds")
        case ["figure", wanted]:
            return spread_ratio(first, second, wanted)
    raise Mistake(f"{what!r} is none of: spread, figure NAME")


def spread_ratio(first: str, second: str, wanted: str) -> str:
    """The ratio in the median of the rounds, with its interval."""
    known = compared(row(second), row(first), wanted)
    if not known:
        raise not_there(split(first)[0], f"{first} and {second} have no {wanted} to compare")
    return f"{spread(known, times)} times"


def times(value: float) -> str:
    """A ratio with two digits."""
    return f"{value:.2g}" if value < 1 else digits(value)


def rows(text: str) -> list[Row]:
    """The rows that a figure or a ratio comes from."""
    return [row(name.strip()) for name in text.partition("|")[0].split(" / ")]


class Figure(SphinxRole):
    """A figure, or a mark where there is none, with a warning if it should be there; † if a round was disturbed."""

    tell = staticmethod(measured)

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        marks: list[nodes.Node] = []
        try:
            told = self.tell(self.text)
            if any(map(is_disturbed, rows(self.text))):
                marks = [nodes.abbreviation(MARK, MARK, explanation=DISTURBED)]
        except NotMeasured:
            told = NOWHERE
        except Mistake as mistake:
            warn(f"{self.name}: {mistake}", self.get_location())
            told = NOWHERE
        return [nodes.inline(self.rawtext, told, *marks, classes=["measured"])], []


class Ratio(Figure):
    """A figure that compares two rows."""

    tell = staticmethod(ratio)


def setup(app: Sphinx) -> None:
    app.add_role("measured", Figure())
    app.add_role("ratio", Ratio())
