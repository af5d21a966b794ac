"""Sequence diagrams of the site: what a writer may write, and that a picture keeps inside its frame."""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "_ext"))
pytest.importorskip("sphinx")

from concdocs import sequence  # noqa: E402 - found only now
from concdocs.places import Mistake  # noqa: E402 - as above

COLUMNS = "s = sender | c = a <channel> | r = receiver"
LINES = """\
r -> c: `receive`: empty
r waits: sleeps
-- later
s: has an item
s => r: release the lock

r!: goes on
""".splitlines()
WRITTEN = [
    (path, *found)
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if "_ext" not in path.parts
    for found in re.findall(
        r"^```\{sequence\} (.*)\n:columns: (.*)\n(?:^:caption: .*\n)?\n((?:.*\n)*?)```$", path.read_text(), re.MULTILINE
    )
]


def drawn(columns, lines, size=sequence.SIZES[0]):
    """The picture, as XML."""
    return ElementTree.fromstring(sequence.svg(sequence.read(columns, lines), size, "It is sent & received."))


def numbers(element, *names):
    return [float(element.get(name)) for name in names]


def test_a_line_is_a_message_a_step_a_wait_or_a_divider():
    events = sequence.read(COLUMNS, LINES).events
    assert [(it.kind, it.source, it.target) for it in events] == [
        ("message", 2, 1), ("wait", 2, 2), ("divider", 0, 0), ("step", 0, 0), ("accent", 0, 2), ("step accent", 2, 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "line", "words"),
    [
        ("s = sender", "s: alone", "two at least"),
        ("s = sender | r", "s: no title", "needs `:columns:"),
        ("s = sender | s = other", "s: twice", "each with a name of its own"),
        (COLUMNS, "s -> x: none", "there is no column 'x'; there are s, c, r"),
        (COLUMNS, "s -> s: itself", "is none of"),
        (COLUMNS, "s sends", "'s sends' is none of `a -> b: TEXT`"),
    ],
)
def test_a_mistake_is_said_in_a_sentence(columns, line, words):
    with pytest.raises(Mistake, match=re.escape(words)):
        sequence.read(columns, [line])


def test_the_steps_are_a_list_for_those_who_do_not_see_the_picture():
    told = sequence.described(sequence.read(COLUMNS, LINES))
    assert re.findall("<li>(.*?)</li>", told) == [
        "receiver to a &lt;channel&gt;: receive: empty",
        "receiver waits: sleeps",
        "later",
        "sender: has an item",
        "sender to receiver: release the lock",
        "receiver: goes on",
    ]


def test_a_picture_has_words_and_the_colours_of_the_page():
    svg = sequence.svg(sequence.read(COLUMNS, LINES), sequence.SIZES[0], "It is sent & received.")
    assert 'role="img" aria-label="It is sent &amp; received."' in svg
    assert not re.search(r"(fill|stroke)=|#[0-9a-f]{3}|\bid=", svg)


def test_a_wait_ends_where_something_reaches_its_column():
    picture = drawn(COLUMNS, LINES)
    (bar,) = picture.iterfind("rect[@class='waiting']")
    (wake_up,) = picture.iterfind("line[@class='accent']")
    top, height = numbers(bar, "y", "height")
    assert top + height == pytest.approx(numbers(wake_up, "y1")[0], abs=0.2)


def test_time_runs_downwards():
    texts = ["".join(it.itertext()) for it in drawn(COLUMNS, LINES).iterfind("text")]
    assert texts == [
        "sender", "a <channel>", "receiver",
        "receive: empty", "sleeps", "later", "has an item", "release the lock", "goes on",
    ]  # fmt: skip
    heights = [numbers(it, "y")[0] for it in drawn(COLUMNS, LINES).iterfind("text")][2:]
    assert heights == sorted(heights)


def test_code_stays_code_where_a_line_is_broken():
    lines = sequence.wrap("call `await f(x)` now", sequence.measure("await f(x)", 14), 14)
    assert all(line.count("`") % 2 == 0 for line in lines)
    assert " ".join(lines).replace("` `", " ") == "call `await f(x)` now"


@pytest.mark.parametrize("size", sequence.SIZES, ids=lambda size: size.name)
@pytest.mark.parametrize("written", WRITTEN, ids=lambda it: f"{it[0].stem}: {it[1][:30]}")
def test_every_diagram_of_the_site_keeps_inside_its_frame(written, size):
    _, _, columns, lines = written
    picture = drawn(columns, lines.splitlines(), size)
    width, height = numbers(picture, "width", "height")
    assert width == size.width
    for box in picture.iterfind("rect"):
        x, y, wide, high = numbers(box, "x", "y", "width", "height")
        assert min(x, y) >= 0 and x + wide <= width and y + high <= height
    for text in picture.iterfind("text"):
        x, y = numbers(text, "x", "y")
        wide = sequence.measure("".join(text.itertext()), size.letters)
        left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")]
        assert left >= -2 and left + wide <= width + 2, "".join(text.itertext())
        assert y <= height


def test_every_model_has_its_diagram():
    shown = {path for path, *_ in WRITTEN if path.parent.name == "models"}
    assert shown == {path for path in (ROOT / "docs/models").glob("*.md") if path.stem != "index"}
