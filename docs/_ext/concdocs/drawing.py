"""`drawing`: a graph in Graphviz's language, drawn while the site is built, in the page's own colours.

The SVG stands in the page itself and says `currentColor` and the theme's variables, so that it follows light and dark.
"""

import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from html import escape
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from concdocs.places import Directive, Mistake

HEAD = """
graph [bgcolor="transparent", fontname="Helvetica", fontsize=13, pad="0.1", nodesep="0.35", ranksep="0.45"];
node [shape=box, style="rounded,filled", fillcolor="#f0f0f1", color="#707071", fontname="Helvetica", fontsize=13,
      fontcolor="#202021", margin="0.18,0.08", height="0.4"];
edge [color="#505051", fontcolor="#404041", fontname="Helvetica", fontsize=12, arrowsize="0.7"];
"""
COLOURS = {
    "#f0f0f1": "var(--color-background-secondary)",
    "#707071": "var(--drawing-line)",
    "#202021": "var(--color-foreground-primary)",
    "#505051": "var(--drawing-line)",
    "#404041": "var(--color-foreground-secondary)",
    "#e00001": "var(--drawing-accent)",
    "#ffe0e1": "var(--drawing-accent-fill)",
}
"""What stands in the drawing, and what of the page's it means."""
WORDS = {"accent-fill": "#ffe0e1", "accent": "#e00001", "faint": "#404041"}
"""Colours that a writer may name: `color=accent`."""


class Drawing(Directive):
    """The argument says in a sentence what the drawing shows; the content is the inside of a `digraph`."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar = {
        "caption": directives.unchanged_required,
        "engine": lambda text: directives.choice(text, ("dot", "circo", "neato", "fdp", "twopi")),
    }

    def build(self) -> list[nodes.Node]:
        told = self.arguments[0]
        drawn = svg("\n".join(self.content), told, self.options.get("engine", "dot"))
        figure = nodes.figure("", nodes.raw("", drawn, format="html"), classes=["drawing"])
        if "caption" in self.options:
            figure += nodes.caption("", "", *self.parse_inline(self.options["caption"])[0])
        return [figure]


def svg(graph: str, told: str, engine: str) -> str:
    """The drawing as SVG for a page. Raises `Mistake` where Graphviz says that the graph is wrong."""
    try:
        import pygraphviz
    except ImportError:
        return f"<p>{escape(told)}</p>"  # a Python that it has no wheel for: the words stand for the picture
    for word, colour in WORDS.items():
        graph = re.sub(rf"color\s*=\s*\"?{word}\"?(?![\w-])", f'color="{colour}"', graph)
    with _its_words() as words:
        try:
            text = pygraphviz.AGraph(f"digraph {{{HEAD}{graph}}}").draw(format="svg", prog=engine).decode()
        except (ValueError, OSError, RuntimeError) as error:
            raise Mistake(f"Graphviz can't draw this: {error} {words()}".strip()) from None
    return _for_page(text, told)


@contextlib.contextmanager
def _its_words() -> Iterator[Callable[[], str]]:
    """Keeps what C libraries print on standard error: fontconfig warns of settings that are newer than itself."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield lambda: os.pread(file.fileno(), 10_000, 0).decode(errors="replace")
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def _for_page(text: str, told: str) -> str:
    """Without the frame of a file, without hover titles, in the page's colours, never wider than the page."""
    text = re.sub(r"<title>.*?</title>\n?|<!--.*?-->\n?", "", text[text.index("<svg") :], flags=re.DOTALL)
    for colour, meaning in COLOURS.items():
        text = text.replace(f'fill="{colour}"', f'style="fill:{meaning}"')
        text = re.sub(rf'stroke="{colour}"', f'data-stroke="{meaning}"', text)
    text = re.sub(r'(<[^>]*)style="([^"]*)"([^>]*)data-stroke="([^"]*)"', r'\1style="\2;stroke:\4"\3', text)
    text = text.replace("data-stroke=", "data-s=")
    text = re.sub(r'data-s="([^"]*)"', r'style="stroke:\1"', text)
    text = re.sub(r' id="[^"]*"', "", text).replace('font-family="Helvetica,sans-Serif"', 'font-family="inherit"')
    return text.replace("<svg ", f'<svg role="img" aria-label="{escape(told)}" ', 1)


def setup(app: Sphinx) -> None:
    app.add_directive("drawing", Drawing)
