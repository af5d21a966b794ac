"""Words that this project has given up stay given up: in names of files, in code, in comments, on pages.

The project once had words of its own for things that the field has names for. A reader would have had to learn them,
and to unlearn them elsewhere. `RETIRED` has them with the words that took their place, `NAMES` has single identifiers,
and `EXCEPTIONS` says where such a word means something else, with the reason.

`PHRASES` has turns of phrase that aren't English, or that make a person of a program, for the pages of `PAGES`.
"""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import concmodels

ROOT = Path(concmodels.__file__).parent.parent
FOLDERS = ["concmodels", "tests", "benchmarks", "docs", "examples", "tools", "."]
READ = {".py", ".md", ".css", ".js", ".html", ".sh", ".toml", ".go", ".erl", ".yml"}
NOT_READ = {
    "tests/test_words.py": "it lists the words",
}


class Retired(NamedTuple):
    """A word, the words in its place, and the files in which it is retired."""

    pattern: str
    now: str
    where: tuple[str, ...] = ("*",)


CODE = ("concmodels/*.py",)
MODELS = ("concmodels/models/*.py",)
TOLD = ("concmodels/*.py", "tests/*.py", "examples/*.py", "*.md")

RETIRED = [
    Retired("rooms?", "model (a module), `.verbs` (its object)"),
    Retired("promise[sd]?|promising", "guarantee"),
    Retired("floors?", "baseline (in benchmarks), dispatcher (in a pool)"),
    Retired("border(s|ed)?", "memory boundary"),
    Retired("colou?r(s|ed)?", "sync and async, `facts.is_async`", TOLD),
    Retired("parkers?", "slot, WaitSlot"),
    Retired("keepers?", "supervisor"),
    Retired("crews?", "worker group, live tasks"),
    Retired("forem[ae]n", "manager thread"),
    Retired("clerks?", "request server"),
    Retired("desks?", "worker memory (of a worker), wait strategy (of a future)"),
    Retired("staffs?", "workers"),
    Retired("bur(y|ies|ied|ying)", "reap"),
    Retired("harvest(s|ed|er|ers|ing)?", "collect results"),
    Retired("heirs?", "next waiter"),
    Retired("dear(er|est|ly)?", "expensive"),
    Retired("stillness", "NoProgress"),
    Retired("vigils?", "KeepLoopAlive"),
    Retired("errands?", "loop call"),
    Retired("cargo(es)?", "payload"),
    Retired("whoever", "the task, the worker, the sender ..."),
    Retired("(he|him|his|himself)", "it, its", ("concmodels/*.py", "benchmarks/*.py")),
    Retired("strangers?", "outside threads", CODE),
    Retired("laps?", "phase", CODE),
    Retired("grants?", "credits", CODE),
    Retired("roads?", "path", CODE),
    Retired("bells?", "event fd (memory), lock (threads), wake", MODELS),
    Retired("heed(s|ed|ing)?", "checkpoint", MODELS),
    Retired("knock(s|ed|ing)?", "resend the signal", MODELS),
    Retired("hurr(y|ies|ied)", "shorten the grace", MODELS),
    Retired("guests?", "waiters", MODELS),
    Retired("loans?", "views, open views", MODELS),
    Retired("deserted", "no workers", MODELS),
]

NAMES = {
    "AwayFuture": "RemoteFuture",
    "AwayPool": "RemotePool",
    "BEYOND": "DISTRIBUTED",
    "Carried": "Wrapped",
    "ChannelWatch": "ChannelTimer",
    "Endings": "to_resolve",
    "LoneWaiter": "SingleThreadWaiter",
    "Outside": "DetachedChannel",
    "PoolWatch": "PoolTimer",
    "Scoped": "nursery tasks",
    "Thrown": "hub tasks",
    "Watch": "DeadlockDetector, or a Stopwatch",
    "_stand": "_wait_for_partner",
    "_stand_by": "_wait_for_item",
    "give_way": "reschedule",
    "leave_post": "the current waiter gives up its turn",
    "look_around": "checkpoint",
    "on_board": "wrapped",
    "part_with": "remove_worker",
}
"""Names in the library that occur there no more, nor on a page; the words in them may."""

FILES = {"scoped", "thrown", "watch", "apart", "loans", "sources", "away", "outside", "last_out"}
"""Names that no module has any more, without `.py`."""


PAGES = [
    "docs/tutorial",
    "docs/start",
    "docs/teachers",
    "docs/trade-offs",
    "docs/measurements",
    "docs/articles",
    "docs/reference",
    "docs/answers",
    "docs/models",
    "docs/glossary.md",
    "docs/index.md",
    "docs/side-by-side.md",
    "README.md",
    "CONTRIBUTING.md",
]

PHRASES = {
    r"\bWho (waits|sends|receives|computes|finds|wants|swallows|needs|forks|begins|goes|does)\b": "a task that ...",
    r"\bOnly who\b": "only a task that ...",
    r"\bwho (waits|sends|receives|computes) (for|to|from|on)\b": "a task that ...",
    r"\bstands? (in|on|at|behind|beside|below|above|there)\b": "is",
    r"\b(cancellation|timeout|deadline|signal|Ctrl-C|it) strikes\b": "arrives, expires, is raised",
    r"\b(lent|lends)\b": "provided",
    r"\bmatter of course\b": "need not",
    r"\b[Ss]o (short|small|large|long|few|many|much) an? [a-z]+ (is|says|has|does|can)\b": "such a",
    r"\b(has|have|with) the name of being\b": "a reputation for",
    r"\bheld against\b": "compared with",
    r"\bheld to (it|them|the|every|all)\b": "tested for",
    r"\bmaking of the vocabulary\b": "implementation of the API",
    r"\bone sees when\b": "you can see",
}
"""Phrases that the pages don't use, with what they say instead. A blank may be the end of a line."""


class Exempt(NamedTuple):
    """Where a retired word is right: in these files, on lines like this (`_` counts as a space there); and why."""

    word: str
    where: str
    line: str
    why: str


SPACE = (
    r"\b(for|has|have|is|was|much|more|no|some|without|make|makes|waiting|always|there|little) room\b"
    r"|\broom (for|with computers|before|after the cancellation)\b"
)
THE_CHARTS = "a colour of a chart, of a page or of a terminal"

EXCEPTIONS = [
    Exempt("room", "*", SPACE, "space: in a channel, in a buffer, on a page"),
    Exempt("room", "concmodels/models/waiting/*.py", r"\b_room\b", "space: what a buffer still takes"),
    Exempt("border", "*.css", "", "CSS"),
    Exempt("promise", "*.js", r"Promise\.all|new Promise\(", "JavaScript's own class"),
    Exempt("promise|promising", "docs/_playground/*", "", "JavaScript's own class, which its Python waits for"),
    Exempt("promising", "tests/browser/*.py", "callPromising", "JavaScript's own class, which its Python waits for"),
    Exempt("colours", "concmodels/explore/failures/drawing.py", "", "those of a picture"),
    Exempt("color", "concmodels/trace/svg.py", "prefers-color-scheme", "CSS"),
    Exempt("floor", "*.py", r"\bfloor\(log|math\.floor|import .*\bfloor\b", "mathematics"),
    Exempt("colou?rs?", "tests/browser/*", "", THE_CHARTS),
    Exempt("colou?rs?", "tests/*.py", "NO_COLOR|256color|get color|color=|the colours of the page", THE_CHARTS),
    Exempt("colou?rs?", "docs/_ext/README.md", "", THE_CHARTS),
    Exempt("color", "README.md", "prefers-color-scheme", THE_CHARTS),
    Exempt("colou?rs?", "docs/measurements/reading-a-chart.md", "", THE_CHARTS),
    Exempt("color", "docs/*.md", r"\[(label|fillcolor)=|color=", "a drawing"),
    Exempt("colou?rs?", "docs/trade-offs/sync-and-async.md", "", "the essay's own word"),
    Exempt("coloured", "docs/side-by-side.md", "background", THE_CHARTS),
    Exempt("colou?rs?", "docs/measurements/programs.md", "chameneos", "Chameneos, who change it when they meet"),
    Exempt("his", "benchmarks/classics/philosophers.py", "", "a philosopher"),
]


def files_of(folder: str) -> Iterator[Path]:
    """The text files of a folder; of the project itself only those that are in no folder."""
    found = ROOT.glob("*.*") if folder == "." else (ROOT / folder).rglob("*")
    for path in sorted(found):
        if path.suffix in READ and path.is_file() and path.relative_to(ROOT).as_posix() not in NOT_READ:
            yield path


def words_of(text: str) -> list[str]:
    """The words of a line, those inside of names too: `wake_all`, `WaitSlot`."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text)]


def lines_of(path: Path) -> Iterator[tuple[str, str]]:
    """What is read of a file, each with its place: its name, and its lines."""
    name = path.relative_to(ROOT).as_posix()
    yield name, name
    for number, line in enumerate(path.read_text().splitlines(), 1):
        yield f"{name}:{number}", line


@cache
def retired(word: str) -> list[Retired]:
    """The entries of `RETIRED` for this word."""
    return [it for it in RETIRED if re.fullmatch(it.pattern, word)]


@cache
def retired_in(path: Path) -> list[tuple[str, str, str, str]]:
    """The retired words of a file: place, line, word, and what to say instead."""
    return [*_retired_in(path)]


def _retired_in(path: Path) -> Iterator[tuple[str, str, str, str]]:
    name = path.relative_to(ROOT).as_posix()
    names = NAMES if name.startswith("concmodels/") or path.suffix == ".md" else {}
    if path.stem in FILES and path.suffix == ".py":
        yield name, name, path.stem, "another name of the file"
    for place, line in lines_of(path):
        for word in words_of(line):
            for it in retired(word):
                if any(fnmatchcase(name, where) for where in it.where):
                    yield place, line, word, it.now
        for word in re.findall(r"\w+", line):
            if word in names:
                yield place, line, word, names[word]


def exemptions(path: Path, line: str, word: str) -> list[Exempt]:
    """The exceptions that allow this word on this line."""
    name = path.relative_to(ROOT).as_posix()
    return [
        it
        for it in EXCEPTIONS
        if re.fullmatch(it.word, word)
        and fnmatchcase(name, it.where)
        and (re.search(it.line, line, re.I) or re.search(it.line, line.replace("_", " "), re.I))
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_retired_word_is_back(folder: str):
    found = [
        f"{place}: {word!r}, now {now}: {line.strip()}"
        for path in files_of(folder)
        for place, line, word, now in retired_in(path)
        if not exemptions(path, line, word)
    ]
    assert not found, "\n" + "\n".join(dict.fromkeys(found))


def test_every_exception_is_needed():
    used = {
        it
        for folder in FOLDERS
        for path in files_of(folder)
        for _, line, word, _ in retired_in(path)
        for it in exemptions(path, line, word)
    }
    assert [it for it in EXCEPTIONS if it not in used] == []


def phrases_in(path: Path) -> Iterator[str]:
    """The retired phrases of a page: place, phrase, and what to say instead."""
    text = path.read_text()
    for pattern, now in PHRASES.items():
        for found in re.finditer(pattern.replace(" ", r"\s+"), text):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{path.relative_to(ROOT)}:{line}: {' '.join(found[0].split())!r}, now {now}"


@pytest.mark.parametrize("pages", PAGES)
def test_no_retired_phrase_is_back(pages: str):
    place = ROOT / pages
    paths = sorted(place.rglob("*.md")) if place.is_dir() else [place]
    assert paths
    found = [it for path in paths for it in phrases_in(path)]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "Who waits sleeps.",
        "A timer\nand a cancellation\nstrikes there.",
        "It stands\n  in the first line.",
        "So short a run says little.",
    ],
)
def test_a_retired_phrase_is_found_over_the_end_of_a_line(tmp_path: Path, monkeypatch, text: str):
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    path = tmp_path / "page.md"
    path.write_text(f"# A page\n\n{text}\n")
    assert len(list(phrases_in(path))) == 1


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("class WaitParker:", "parker"),
        ("the_old_room = 1", "room"),
        ("# The keeper says so.", "keeper"),
        ("promises", "promises"),
        ("from m import LoneWaiter", "LoneWaiter"),
    ],
)
def test_a_retired_word_is_found_in_names_and_prose(tmp_path: Path, monkeypatch, text: str, word: str):
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    path = tmp_path / "concmodels" / "some.py"
    path.parent.mkdir()
    path.write_text(f'"""A file."""\n{text}\n')
    assert [it for _, line, it, _ in retired_in(path) if not exemptions(path, line, it)] == [word]
