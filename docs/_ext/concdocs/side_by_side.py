"""`side-by-side`: the source files of any two models next to each other, their differences marked.

The sources and the differences of every pair are worked out here; the page's script only puts them together for the two
that the reader picks. Without scripts the page shows the pair that it was built with.

A difference is a list of hunks; see `differences`.
"""

import itertools
import json
from html import escape
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

from concdocs.differences import Hunk, hunks
from concdocs.places import ROOT, Directive, Mistake
from concmodels import catalog


class SideBySide(Directive):
    """The arguments are the two models that the page starts with: threads and asyncio."""

    optional_arguments = 2
    option_spec: ClassVar = {"beyond": directives.flag}

    def build(self) -> list[nodes.Node]:
        paths = model_paths("beyond" in self.options)
        left, right = (*self.arguments, "threads", "asyncio")[:2] if len(self.arguments) != 1 else self._one()
        for name in (left, right):
            if name not in paths:
                raise Mistake(f"there is no model {name!r}; there are {', '.join(paths)}")
        self.depends_on(*paths.values())
        return [nodes.raw("", page(paths, left, right), format="html")]

    def _one(self) -> tuple[str, str]:
        raise Mistake("takes two models, or none")


def model_paths(beyond: bool) -> dict[str, Path]:
    """The source file of each model, by the model's name."""
    folder = ROOT / "concmodels" / "models"
    return {name: folder / f"{catalog.facts(name).file}.py" for name in catalog.names(distributed=beyond)}


def page(paths: dict[str, Path], left: str, right: str) -> str:
    """The whole: two lists to choose from, the pair, and the data for the others."""
    texts = {name: path.read_text() for name, path in paths.items()}
    sources = {name: highlighted(text) for name, text in texts.items()}
    pairs = {f"{a}/{b}": hunks(texts[a], texts[b]) for a, b in itertools.combinations(texts, 2)}
    data = {"sources": sources, "pairs": pairs}
    first = hunks(texts[left], texts[right])
    code = "".join(hunk_html(it, sources[left], sources[right]) for it in first)
    packed = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<div class="side-by-side"><form class="sides-choice" aria-label="Which two models">'
        f"{choice('left', 'Left', list(paths), left)}{choice('right', 'Right', list(paths), right)}"
        f'<button type="button" class="sides-swap">Swap</button></form>'
        f'<p class="sides-status" role="status">{escape(summary(left, right, first))}</p>'
        f'<div class="sides-code highlight" tabindex="0" role="region" aria-label="The two files">{code}</div>'
        f'<script type="application/json" class="sides-data">{packed}</script></div>'
    )


def choice(side: str, label: str, names: list[str], chosen: str) -> str:
    """One list to choose from. Scripts bring it to life, and only then it is shown."""
    options = "".join(f"<option{' selected' if it == chosen else ''}>{escape(it)}</option>" for it in names)
    return f'<label>{label} <select name="{side}" autocomplete="off">{options}</select></label>'


def highlighted(source: str) -> list[str]:
    """The source's lines as HTML. Spans never reach over a line's end."""
    html = PygmentsBridge("html").highlight_block(source, "python")
    inner = html.partition("<pre>")[2].rpartition("</pre>")[0]
    lines: list[str] = []
    open_spans: list[str] = []
    for line in inner.removeprefix("<span></span>").rstrip("\n").split("\n"):
        before = "".join(open_spans)
        open_spans = _still_open(open_spans, line)
        lines.append(before + line + "</span>" * len(open_spans))
    return lines


def _still_open(open_spans: list[str], line: str) -> list[str]:
    """The tags of the spans that a line leaves open."""
    spans = list(open_spans)
    for part in line.split("<")[1:]:
        if part.startswith("/span>"):
            spans.pop()
        else:
            spans.append(f"<{part.partition('>')[0]}>")
    return spans


def summary(left: str, right: str, found: list[Hunk]) -> str:
    """The sentence for the reader, also for one with a screen reader."""
    same = sum(end - start for is_same, start, end, _, _ in found if is_same)
    total = found[-1][2]
    return f"{left} and {right}: {same} of {left}'s {total} lines are the same in both."


def hunk_html(hunk: Hunk, left: list[str], right: list[str]) -> str:
    """The lines of one hunk: the script makes the same of the data."""
    same, left_from, left_to, right_from, right_to = hunk
    sides = (("left", left[left_from:left_to]), ("right", right[right_from:right_to]))
    kind = "same" if same else "other"
    return f'<div class="hunk {kind}">{"".join(_side(name, lines) for name, lines in sides)}</div>'


def _side(name: str, lines: list[str]) -> str:
    return (
        f'<pre class="{name}{"" if lines else " empty"}">{"".join(f"<span>{it or ' '}</span>" for it in lines)}</pre>'
    )


def setup(app: Sphinx) -> None:
    app.add_directive("side-by-side", SideBySide)
