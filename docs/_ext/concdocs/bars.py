"""`bars`: a cell of the result as a table whose rows are bars, of text and boxes: no picture, no script."""

import math
from html import escape
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from benchmarks.report import candidates
from benchmarks.result import Row
from concdocs import results
from concdocs.places import Directive


class Bars(Directive):
    """The argument is SUITE/CELL; the bars are as long as the logarithm of the time, or with `:linear:` the time."""

    required_arguments = 1
    option_spec: ClassVar = {
        "kind": directives.unchanged_required,
        "caption": directives.unchanged_required,
        "linear": directives.flag,
        "only": directives.unchanged_required,
    }

    def build(self) -> list[nodes.Node]:
        file, wanted = results.split(self.arguments[0])
        suite, _, cell = wanted.partition("/")
        rows = [row for row in candidates.rows_of(results.results(file), suite, cell) if self._wanted(row)]
        if not rows:
            raise results.not_there(file, f"{results.path(file).name} has no such rows in {wanted}")
        self.depends_on(results.path(file))
        caption = self.options.get("caption", f"Time per {rows[0].step}")
        return [nodes.raw("", table(rows, caption, "linear" in self.options), format="html")]

    def _wanted(self, row: Row) -> bool:
        only, name = self.options.get("only", "").split(), row.candidate.removesuffix(f", {row.python}")
        return row.kind in self.options.get("kind", "model").split() and (not only or name in only)


def table(rows: list[Row], caption: str, linear: bool) -> str:
    """The rows as HTML, the fastest first."""
    lines = "".join(
        f'<tr><th scope="row"><code>{escape(row.candidate)}</code></th>'
        f'<td><span class="bar" style="width:{100 * share:.1f}%"></span>'
        f'<span class="bar-figure">{results.duration(row.median)}</span></td></tr>'
        for row, share in zip(rows, shares([row.median for row in rows], linear), strict=True)
    )
    return f'<table class="bars"><caption>{escape(caption)}</caption><tbody>{lines}</tbody></table>'


def shares(values: list[float], linear: bool) -> list[float]:
    """The part of the longest bar that each one is. On a log axis the bars start at a decade below the smallest."""
    if linear:
        return [value / max(values) for value in values]
    start = math.floor(math.log10(min(values)) - 0.3)
    return [(math.log10(value) - start) / (math.log10(max(values)) - start) for value in values]


def setup(app: Sphinx) -> None:
    app.add_directive("bars", Bars)
