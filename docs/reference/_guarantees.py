"""Writes the guarantees of the conformance suite, from the suite itself: `guarantees.md`, and a page for each chapter.

    python docs/reference/_guarantees.py

`tests/docs/test_docstrings.py` fails if a page differs from what this would write.
"""

import sys
from importlib import import_module
from inspect import getdoc
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from concmodels.conformance.suite import Guarantee, guarantees  # noqa: E402 - only now it is found

FOLDER = Path(__file__).parent
WRITTEN = "% Written by docs/reference/_guarantees.py. Change the guarantees' docstrings, then run it again.\n"
INDEX = """\
# The guarantees

What does a {{term}}`model` guarantee? There are {count} guarantees, which are checked for {held} combinations of values
in all. Each is a sentence, the docstring of a test. Most guarantees hold for every model; those that hold only for one
kind, such as the async models, say so. Each is tested on every model for which it holds. `python -m
concmodels.conformance trio` runs these tests on trio; with `-k delivery.`, it runs only those of one chapter. You can
also test [a model of your own](../tutorial/your-own-model.md).

On a chapter's page, the brackets after a sentence contain the values for which the guarantee is checked and, if not all
models give it, those that do. A model of your own is only tested for what it defines itself: a chapter or a guarantee
says which names it has to define.
"""
CHAPTER = """\
# {title}

{about}

A chapter of [the guarantees](../guarantees.md), where the brackets are explained.
"""
SUBJECTS = {
    "Channels": ("delivery", "waiting", "timeouts", "closing", "selecting", "competing", "travelling"),
    "Tasks": ("tasks", "failures", "cancellation", "limits", "same_turn", "runs"),
    "Pools": (
        "pooling", "pooling_map", "pooling_ends", "pooling_failures", "pooling_deaths", "pooling_boundaries",
        "pooling_async",
    ),
    "Shared memory and sockets": ("sharing", "sharing_ends", "sockets", "sockets_ends", "sockets_travelling"),
}  # fmt: skip
TITLES = {
    "selecting": "Select",
    "competing": "Competing",
    "tasks": "Task groups",
    "limits": "Time limits of groups",
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
    "sockets_ends": "Sockets: waits that are ended",
    "sockets_travelling": "Sockets that travel",
}
"""The titles of chapters whose names differ from those of their files."""


def pages() -> dict[str, str]:
    """Every page, by its path in this folder."""
    chapters = {chapter: list(its) for chapter, its in groupby(guarantees(), lambda it: it.chapter)}
    ours = {f"guarantees/{file_of(chapter)}.md": chapter_page(chapter, its) for chapter, its in chapters.items()}
    return {"guarantees.md": index_page(chapters)} | ours


def index_page(chapters: dict[str, list[Guarantee]]) -> str:
    """The page that leads to the chapters: a table of them for each subject."""
    count = sum(len(names_of(its)) for its in chapters.values())
    parts = [WRITTEN, INDEX.format(count=count, held=sum(map(len, chapters.values())))]
    for subject, its in SUBJECTS.items():
        parts += [f"## {subject}\n", table({chapter: chapters[chapter] for chapter in its})]
    listed = [f"guarantees/{file_of(chapter)}" for its in SUBJECTS.values() for chapter in its]
    parts.append("\n".join(["```{toctree}", ":hidden:", "", *listed, "```", ""]))
    return "\n".join(parts)


def table(chapters: dict[str, list[Guarantee]]) -> str:
    """The chapters of a subject: the title, the first sentence, and the number of guarantees."""
    lines = [":::{container} chapters", "| chapter | what it is about | number |", "| --- | --- | ---: |"]
    for chapter, its in chapters.items():
        about = " ".join(docstring_of(chapter).partition("\n\n")[0].split())
        lines.append(f"| [{title_of(chapter)}](guarantees/{file_of(chapter)}.md) | {about} | {len(names_of(its))} |")
    return "\n".join([*lines, ":::", ""])


def chapter_page(chapter: str, found: list[Guarantee]) -> str:
    """One chapter: its docstring, then its guarantees."""
    common = [it for it in conditions(found[0]) if all(it in conditions(other) for other in found)]
    about = f"{docstring_of(chapter)}{f' ({" ".join(map(of_chapter, common))})' if common else ''}"
    head = CHAPTER.format(title=title_of(chapter), about=about, chapter=chapter)
    entries = (entry(list(its), common) for _, its in groupby(found, lambda it: it.name))
    return "\n".join([WRITTEN, head, *entries])


def of_chapter(condition: str) -> str:
    """A condition of all guarantees of a chapter, as a sentence."""
    start = "These guarantees are" if condition.startswith("only") else "To be tested here,"
    return f"{start} {condition}."


def names_of(found: list[Guarantee]) -> set[str]:
    return {it.full_name for it in found}


def file_of(chapter: str) -> str:
    return chapter.replace("_", "-")


def title_of(chapter: str) -> str:
    return TITLES.get(chapter, chapter.capitalize())


def docstring_of(chapter: str) -> str:
    """The docstring of a chapter, without what its title says already."""
    text = getdoc(import_module(f"concmodels.conformance.guarantees.{chapter}")) or ""
    for title in (title_of(chapter), "The pool", "Sockets"):
        text = text.removeprefix(f"{title}: ")
    return safe(text[:1].upper() + text[1:])


def entry(its: list[Guarantee], common: list[str]) -> str:
    """One guarantee as an entry of a list of definitions, with an address of its own."""
    first = its[0]
    values = [f"{name} {', '.join(dict.fromkeys(label(it, name) for it in its))}" for name in first.values]
    aside = "; ".join(values + [it for it in conditions(first) if it not in common])
    identifier = f"guarantee-{first.chapter}-{first.name}".replace("_", "-")
    sentence = f"{safe(first.sentence)}{f' ({aside})' if aside else ''}"
    return f"[`{first.full_name}`]{{#{identifier}}}\n: {sentence}\n"


def conditions(guarantee: Guarantee) -> list[str]:
    """The models that the guarantee is for, if not for all."""
    found = []
    if (models := getdoc(guarantee.by)) and guarantee.by.__name__ != "everybody":
        models = models.rstrip(".")
        found.append(f"only for {models[0].lower()}{models[1:]}")
    return found + ([needs_in_words(guarantee.needs)] if guarantee.needs else [])


def needs_in_words(needs: tuple[str, ...]) -> str:
    """The names that a model of a reader's own must define in order to be tested."""
    *others, last = (f"`{it}`" for it in needs)
    return f"a model of your own must define {', '.join(others)}{' and ' if others else ''}{last}"


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


def write() -> None:
    """Write the pages, and remove those of chapters that no longer exist."""
    wanted = pages()
    for path in set(FOLDER.glob("guarantees/*.md")) - {FOLDER / name for name in wanted}:
        path.unlink()
    for name, text in wanted.items():
        path = FOLDER / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    write()
