"""The roles `measured` and `ratio`: figures in a sentence, from the result."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from concdocs.places import Mistake, warn
from concdocs.results import digits, duration, figure, row


def measured(text: str) -> str:
    """`ROW`, `ROW|per_second`, `ROW|short` (without "per hop") or `ROW|figure NAME` in words."""
    name, _, what = (part.strip() for part in text.partition("|"))
    found = row(name)
    match what.split():
        case []:
            return f"{duration(found.median)} per {found.step}"
        case ["short"]:
            return duration(found.median)
        case ["per_second"]:
            return f"{float(f'{found.per_second:.3g}'):,.0f} {found.step}s per second"
        case ["figure", wanted]:
            return _figure(name, wanted)
    raise Mistake(f"{what!r} is none of: per_second, short, figure NAME")


def _figure(name: str, wanted: str) -> str:
    found = row(name)
    value = found.figure(wanted)
    if value is None:
        raise Mistake(f"{name} has no figure {wanted!r}; it has {', '.join(sorted(found.figures))}")
    return figure(wanted, value)


def ratio(text: str) -> str:
    """`ROW / ROW`: how many times longer a step of the first takes. The blanks around the slash tell it from a path."""
    first, slash, second = text.partition(" / ")
    if not slash:
        raise Mistake(f"{text!r} is no ratio: it is ROW / ROW, with blanks around the slash")
    times = row(first).median / row(second).median
    return f"{times:.2g} times" if times < 1 else f"{digits(times)} times"


class Figure(SphinxRole):
    """A figure, or a warning and a mark where there is none."""

    tell = staticmethod(measured)

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            told = self.tell(self.text)
        except Mistake as mistake:
            warn(f"{self.name}: {mistake}", self.get_location())
            told = "(not measured)"
        return [nodes.inline(self.rawtext, told, classes=["measured"])], []


class Ratio(Figure):
    """A figure that compares two rows."""

    tell = staticmethod(ratio)


def setup(app: Sphinx) -> None:
    app.add_role("measured", Figure())
    app.add_role("ratio", Ratio())
