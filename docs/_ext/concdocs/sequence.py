"""`sequence`: what happens between several tasks, as a sequence diagram: a column for each, time runs downwards.

The SVG is part of the page and names the theme's colours, so that it follows light and dark. It is drawn twice, for a
wide page and for a phone, and the style sheet shows one of the two. Next to it are the same steps as a list, which is
hidden from the eye: a screen reader reads it, and it can't say anything else than the picture.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from concdocs.places import Directive, Mistake

MESSAGE = re.compile(r"(\w+)\s*([-=])>\s*(\w+)\s*:\s*(.+)")
STEP = re.compile(r"(\w+)(!?)\s*:\s*(.+)")
WAIT = re.compile(r"(\w+)\s+waits\s*:\s*(.+)")
DIVIDER = re.compile(r"--\s+(.+)")
NARROW_LETTERS, WIDE_LETTERS = frozenset("iljtfr.,:;'|!()[] "), frozenset("mwMW")


@dataclass(frozen=True)
class Event:
    """A line of the diagram. `source` and `target` are numbers of columns; a divider has none."""

    kind: str
    text: str
    source: int = 0
    target: int = 0


@dataclass(frozen=True)
class Scene:
    """The titles of the columns, and what happens between them in this order."""

    titles: list[str]
    events: list[Event]


@dataclass(frozen=True)
class Size:
    """A width to draw for, with the height of the letters and of a line, in pixels."""

    name: str
    width: float
    letters: float
    line: float


SIZES = (Size("wide", 704, 14, 19), Size("narrow", 344, 12.5, 16))


class Diagram(Directive):
    """The argument says in a sentence what the diagram shows; the content has an event on each line."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar = {"columns": directives.unchanged_required, "caption": directives.unchanged_required}

    def build(self) -> list[nodes.Node]:
        scene = read(self.options.get("columns", ""), self.content)
        drawn = "".join(svg(scene, size, self.arguments[0]) for size in SIZES)
        raw = nodes.raw("", drawn + described(scene), format="html")
        figure = nodes.figure("", raw, classes=["drawing", "sequence"])
        if "caption" in self.options:
            figure += nodes.caption("", "", *self.parse_inline(self.options["caption"])[0])
        return [figure]


def read(columns: str, lines: Sequence[str]) -> Scene:
    """The scene of `NAME = TITLE | NAME = TITLE` and of lines. Raises `Mistake` at the first line that is none."""
    pairs = [[part.strip() for part in column.partition("=")[::2]] for column in columns.split("|")]
    numbers = {name: number for number, (name, _) in enumerate(pairs)}
    if len(numbers) < 2 or not all(title for _, title in pairs):
        raise Mistake("needs `:columns: NAME = TITLE | NAME = TITLE`, two at least, each with a name of its own")
    events = [_event(line.strip(), numbers) for line in lines if line.strip()]
    return Scene([title for _, title in pairs], events)


def _event(line: str, columns: dict[str, int]) -> Event:
    if found := MESSAGE.fullmatch(line):
        source, arrow, target, text = found.groups()
        kind = "accent" if arrow == "=" else "message"
        if source != target:
            return Event(kind, text, _column(source, columns), _column(target, columns))
    elif found := DIVIDER.fullmatch(line):
        return Event("divider", found[1])
    elif found := WAIT.fullmatch(line):
        return Event("wait", found[2], *[_column(found[1], columns)] * 2)
    elif found := STEP.fullmatch(line):
        return Event("step accent" if found[2] else "step", found[3], *[_column(found[1], columns)] * 2)
    raise Mistake(f"{line!r} is none of `a -> b: TEXT`, `a => b:`, `a:`, `a!:`, `a waits:` and `-- TEXT`")


def _column(name: str, columns: dict[str, int]) -> int:
    if name not in columns:
        raise Mistake(f"there is no column {name!r}; there are {', '.join(columns)}")
    return columns[name]


def described(scene: Scene) -> str:
    """The steps as a list for those who don't see the picture."""
    steps = "".join(f"<li>{_in_words(it, scene.titles)}</li>" for it in scene.events)
    return f'<ol class="sequence-steps">{steps}</ol>'


def _in_words(event: Event, titles: list[str]) -> str:
    text = escape(event.text.replace("`", ""))
    if event.kind == "divider":
        return text
    source, target = escape(titles[event.source]), escape(titles[event.target])
    if event.kind == "wait":
        return f"{source} waits: {text}"
    return f"{source}: {text}" if event.source == event.target else f"{source} to {target}: {text}"


def svg(scene: Scene, size: Size, says: str) -> str:
    """The picture for one width."""
    picture = Picture(scene, size)
    for event in scene.events:
        picture.add(event)
    return picture.finish(says)


@dataclass
class Picture:
    """A picture under way: `y` is how far down it has come."""

    scene: Scene
    size: Size
    y: float = 0
    drawn: list[str] = field(default_factory=list)
    waits: dict[int, float] = field(default_factory=dict)
    behind: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.apart = self.size.width / len(self.scene.titles)
        self._heads()

    def x(self, column: int) -> float:
        """The middle of a column."""
        return self.apart * (column + 0.5)

    def add(self, event: Event) -> None:
        """Draw the next event, under what is there."""
        if event.kind == "divider":
            self._divider(event.text)
        elif event.kind == "wait":
            self._wait(event)
        elif event.source == event.target:
            self._end_wait(event.source, self.y)
            self._step(event)
        else:
            self._message(event)

    def finish(self, says: str) -> str:
        """The whole picture, with the columns' lines down to its end."""
        self.y += 8
        for column in list(self.waits):
            self._end_wait(column, self.y)
        columns = map(self.x, range(len(self.scene.titles)))
        lifelines = [_line("lifeline", x, self.top, x, self.y) for x in columns]
        width, height = f"{self.size.width:g}", f"{self.y + 2:.0f}"
        return (
            f'<svg class="sequence-{self.size.name}" role="img" aria-label="{escape(says)}" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}" font-size="{self.size.letters:g}">'
            f"{''.join([*lifelines, *self.behind, *self.drawn])}</svg>"
        )

    def _heads(self) -> None:
        wrapped = [wrap(title, self.apart - 22, self.size.letters) for title in self.scene.titles]
        height = max(map(len, wrapped)) * self.size.line + 12
        for column, lines in enumerate(wrapped):
            self._box(column, lines, 1, height, "head", self.apart - 10)
        self.top = height + 1
        self.y = self.top + 14

    def _step(self, event: Event) -> None:
        lines = wrap(event.text, self.apart - 22, self.size.letters)
        width = min(self.apart - 6, max(measure(line, self.size.letters) for line in lines) + 18)
        height = len(lines) * self.size.line + 8
        self._box(event.source, lines, self.y, height, event.kind, width)
        self.y += height + 10

    def _box(self, column: int, lines: list[str], top: float, height: float, kind: str, width: float) -> None:
        self.drawn.append(
            f'<rect class="{kind}" x="{self.x(column) - width / 2:.1f}" y="{top:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}" rx="5"/>'
        )
        first = top + (height - len(lines) * self.size.line) / 2
        self._text(lines, self.x(column), first, "middle", kind)

    def _message(self, event: Event) -> None:
        start, end = self.x(event.source), self.x(event.target)
        lines = wrap(event.text, abs(end - start) - 18, self.size.letters)
        self._text(lines, (start + end) / 2, self.y, "middle", event.kind)
        self.y += len(lines) * self.size.line + 6
        self._end_wait(event.target, self.y)
        way = 1 if end > start else -1
        point = end - way * 2
        self.drawn.append(_line(event.kind, start, self.y, point - way * 6, self.y))
        self.drawn.append(f'<path class="{event.kind} point" d="M{point:.1f} {self.y:.1f}l{-way * 9} -5v10z"/>')
        self.y += 12

    def _wait(self, event: Event) -> None:
        column = event.source
        self.waits[column] = self.y
        is_last = column == len(self.scene.titles) - 1
        lines = wrap(event.text, (self.apart if is_last else self.apart / 2) - 18, self.size.letters)
        side, anchor = (-12, "end") if is_last else (12, "start")
        self._text(lines, self.x(column) + side, self.y, anchor, "wait")
        self.y += len(lines) * self.size.line + 8

    def _end_wait(self, column: int, until: float) -> None:
        if (start := self.waits.pop(column, None)) is not None:
            x, height = self.x(column) - 5, until - start
            self.behind.append(
                f'<rect class="waiting" x="{x:.1f}" y="{start:.1f}" width="10" height="{height:.1f}" rx="3"/>'
            )

    def _divider(self, text: str) -> None:
        lines = wrap(text, self.size.width - 40, self.size.letters)
        self.y += 6
        self.drawn.append(_line("divider", 4, self.y, self.size.width - 4, self.y))
        self._text(lines, 6, self.y + 4, "start", "divider")
        self.y += len(lines) * self.size.line + 12

    def _text(self, lines: list[str], x: float, top: float, anchor: str, kind: str) -> None:
        for number, line in enumerate(lines):
            y = top + number * self.size.line + self.size.line * 0.74
            place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
            self.drawn.append(f'<text class="{kind}" {place}>{_marked(line)}</text>')


def _line(kind: str, left: float, top: float, right: float, bottom: float) -> str:
    return f'<line class="{kind}" x1="{left:.1f}" y1="{top:.1f}" x2="{right:.1f}" y2="{bottom:.1f}"/>'


def wrap(text: str, width: float, letters: float) -> list[str]:
    """The text in lines that are no wider, if its words allow; code in backticks may be parted at its blanks too."""
    lines: list[str] = []
    for word in _words(text):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and measure(longer, letters) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _words(text: str) -> list[str]:
    """The words; each has its own backticks if it is code."""
    words: list[str] = []
    is_code = False
    for word in text.split():
        begins, toggles = is_code, word.count("`") % 2
        is_code ^= bool(toggles)
        words.append(f"{'`' * begins}{word}{'`' * is_code}")
    return words


def measure(text: str, letters: float) -> float:
    """About how wide the text is: fonts differ, so it is a little more than most of them need."""
    wide = 0.0
    for odd, part in enumerate(text.split("`")):
        wide += sum(0.56 if odd % 2 else _letter(it) for it in part)
    return wide * letters


def _letter(letter: str) -> float:
    if letter in NARROW_LETTERS:
        return 0.37
    return 0.95 if letter in WIDE_LETTERS else 0.7 if letter.isupper() else 0.61


def _marked(text: str) -> str:
    """SVG of a text in which backticks mark code."""
    parts = escape(text).split("`")
    return "".join(f'<tspan class="code">{it}</tspan>' if odd % 2 else it for odd, it in enumerate(parts))


def setup(app: Sphinx) -> None:
    app.add_directive("sequence", Diagram)
