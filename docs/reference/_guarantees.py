"""Writes `guarantees.md`, which has every guarantee of the conformance suite, from the suite itself.

    python docs/reference/_guarantees.py

`tests/docs/test_docstrings.py` fails if the page differs from what this would write.
"""

import sys
from collections.abc import Iterator
from importlib import import_module
from inspect import getdoc
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from concmodels.conformance.suite import Guarantee, guarantees  # noqa: E402 - only now it is found

PAGE = Path(__file__).with_name("guarantees.md")
HEAD = """\
% Written by docs/reference/_guarantees.py. Change the guarantees' docstrings, then run it again.

# The guarantees

What does every {{term}}`model` guarantee? This page lists {count} guarantees, with {held} choices of values in all.
Each sentence is the docstring of a test that checks it on every model. `python -m concmodels.conformance --list` prints
them, `python -m concmodels.conformance trio` tests trio, and you can test [a model of your
own](../tutorial/your-own-model.md) too.

The brackets contain the values for which a guarantee is checked, and the models that give it if not all of them do. A
model of your own is only tested for what it defines itself: a chapter or a guarantee says which names these are.
"""
TITLES = {
    "selecting": "Select",
    "competing": "Competing",
    "same_turn": "In the same turn",
    "pooling": "Pools",
    "pooling_map": "Pools: map",
    "pooling_ends": "Pools: how they end",
    "pooling_failures": "Pools: failures",
    "pooling_deaths": "Pools: workers that die",
    "pooling_boundaries": "Pools across a memory boundary",
    "travelling": "Crossing a memory boundary",
    "pooling_async": "Pools: sync and async",
    "sharing": "Sharing memory",
    "sharing_ends": "Sharing: how it ends",
    "sockets": "Sockets",
    "sockets_ends": "Sockets: how a wait ends otherwise",
    "sockets_travelling": "Sockets that travel",
}


def page() -> str:
    """The whole page."""
    found = list(guarantees())
    names = {it.full_name for it in found}
    parts = [HEAD.format(count=len(names), held=len(found))]
    for chapter, its in groupby(found, lambda it: it.chapter):
        parts += section(chapter, list(its))
    return "\n".join(parts)


def section(chapter: str, found: list[Guarantee]) -> Iterator[str]:
    """One chapter: its docstring, then its guarantees."""
    title = TITLES.get(chapter, chapter.capitalize())
    yield f"## {title}\n"
    about = (getdoc(import_module(f"concmodels.conformance.guarantees.{chapter}")) or "").removeprefix(f"{title}: ")
    about = about[:1].upper() + about[1:]
    common = found[0].needs if len({it.needs for it in found}) == 1 else ()
    yield f"{safe(about)}{f' (These guarantees are {own(common)}.)' if common else ''}\n"
    for name, its in groupby(found, lambda it: it.name):
        yield entry(name, list(its), common)


def entry(name: str, its: list[Guarantee], common: tuple[str, ...]) -> str:
    """One guarantee as an entry of a list of definitions, with an address of its own."""
    first = its[0]
    aside = "; ".join(remarks(its, common))
    identifier = f"guarantee-{first.chapter}-{name}".replace("_", "-")
    told = f"{safe(first.sentence)}{f' ({aside})' if aside else ''}"
    return f"[`{first.full_name}`]{{#{identifier}}}\n: {told}\n"


def remarks(its: list[Guarantee], common: tuple[str, ...]) -> Iterator[str]:
    """The remarks in the brackets."""
    first = its[0]
    for value in first.values:
        shown = dict.fromkeys(label(it, value) for it in its)
        yield f"{value} {', '.join(shown)}"
    if (who := getdoc(first.by)) and first.by.__name__ != "everybody":
        told = who.rstrip(".")
        yield f"only {told[0].lower()}{told[1:]}"
    if first.needs and first.needs != common:
        yield own(first.needs)


def own(needs: tuple[str, ...]) -> str:
    """Which models of a reader's own are tested."""
    *others, last = (f"`{it}`" for it in needs)
    return f"for models that define {', '.join(others)}{' and ' if others else ''}{last}"


def label(guarantee: Guarantee, value: str) -> str:
    """One of the values, as the suite writes it."""
    only = Guarantee.__new__(Guarantee)
    only.values = {value: guarantee.values[value]}
    text = only.label.removeprefix(f"{value}=")
    return f"`{text}`"


def safe(text: str) -> str:
    """The text, so that Markdown shows it unchanged."""
    parts = text.split("`")
    for at in range(0, len(parts), 2):  # outside of backticks
        for mark in "*_<[":
            parts[at] = parts[at].replace(mark, f"\\{mark}")
    return "`".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page())
