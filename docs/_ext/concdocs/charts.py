"""`chart` and `result-table`: the report's pictures and tables, drawn from the result while the site is built.

A picture is written in four looks (light and dark, wide and narrow). The page has a <picture> for either brightness,
of which the style sheet shows one, and each picks the narrow drawing on a phone; that works without scripts.
"""

import functools
import hashlib
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from concdocs import results
from concdocs.places import ROOT, Directive, Mistake, fenced

CACHE = ROOT / "build" / "docs-charts"
FOLDER = "_charts"
LOOKS = ((False, False), (False, True), (True, False), (True, True))  # dark, narrow


class chart(nodes.figure):
    """A picture in its looks, and under it the sentence and the command."""


class picture(nodes.General, nodes.Element):
    """The <picture>s."""


class Chart(Directive):
    """The argument is a chart's name, or MODEL/NAME for one of a model's own."""

    required_arguments = 1

    def build(self) -> list[nodes.Node]:
        drawn = _chart(self.arguments[0])
        if drawn is None:
            return [nodes.admonition("", nodes.paragraph("", f"The chart {self.arguments[0]} is not drawn yet."))]
        self.depends_on(results.path())
        stem = self.arguments[0].replace("/", "-").replace(":", "-")
        image = picture("", alt=drawn.says, files=_drawings(stem, drawn))
        says = nodes.caption(drawn.says, drawn.says)
        made = nodes.legend("", *self.markdown(f"Measured with `{drawn.command}`."))
        return [chart("", image, says, made, classes=["chart"])]


def _chart(name: str) -> Any:
    """The chart of this name; None while there is no report at all. Raises `Mistake`."""
    model, slash, own = name.rpartition("/")
    known = _charts(model if slash else None)
    if known is None or own in known:
        return known and known[own]
    raise Mistake(f"the report has no chart {name}; it has {', '.join(known) or 'none'}")


@functools.cache
def _charts(model: str | None) -> dict[str, Any] | None:
    try:
        from benchmarks.report import charts, model_charts
    except ImportError:
        return None
    found = results.results()
    return {it.name: it for it in (charts(found) if model is None else model_charts(found, model))}


def _drawings(stem: str, drawn: Any) -> dict[str, str]:
    """The files of the looks, by look, drawn anew only where the result or the report's code has changed."""
    files = {}
    for dark, narrow in LOOKS:
        look = f"{'dark' if dark else 'light'}-{'narrow' if narrow else 'wide'}"
        file = CACHE / _state() / f"{stem}-{look}.svg"
        if not file.exists():
            from benchmarks.report import Look

            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(drawn.svg(Look(dark=dark, narrow=narrow)))
        files[look] = str(file)
    return files


@functools.cache
def _state() -> str:
    """Changes with the result and with the code that draws."""
    digest = hashlib.sha256(results.path().read_bytes())
    for path in sorted((ROOT / "benchmarks").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def show_pictures(self: HTML5Translator, node: nodes.Element) -> None:
    folder = Path(self.builder.outdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    addresses = {}
    for look, file in node["files"].items():
        (folder / Path(file).name).write_text(Path(file).read_text())
        addresses[look] = f"{_to_root(self)}{FOLDER}/{Path(file).name}"
    for brightness in ("light", "dark"):
        self.body.append(_picture(brightness, addresses, node["alt"]))
    raise nodes.SkipNode


def _to_root(self: HTML5Translator) -> str:
    return "../" * self.builder.current_docname.count("/")


def _picture(brightness: str, addresses: dict[str, str], alt: str) -> str:
    wide, narrow = addresses[f"{brightness}-wide"], addresses[f"{brightness}-narrow"]
    return (
        f'<picture class="look-{brightness}"><source media="(max-width: 40em)" srcset="{escape(narrow)}">'
        f'<img src="{escape(wide)}" alt="{escape(alt)}" loading="lazy"></picture>'
    )


class ResultTable(Directive):
    """One of the report's tables, by name."""

    required_arguments = 1

    def build(self) -> list[nodes.Node]:
        try:
            from benchmarks.report import tables
        except ImportError:
            return self.markdown(fenced(f"The table {self.arguments[0]} is not there yet.", "text"))
        known = tables(results.results())
        if self.arguments[0] not in known:
            raise Mistake(f"the report has no table {self.arguments[0]}; it has {', '.join(known) or 'none'}")
        self.depends_on(results.path())
        return [nodes.container("", *self.markdown(known[self.arguments[0]]), classes=["wide-table"])]


def open_chart(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append(self.starttag(node, "figure"))


def close_chart(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append("</figure>\n")


def setup(app: Sphinx) -> None:
    app.add_node(chart, html=(open_chart, close_chart))
    app.add_node(picture, html=(show_pictures, None))
    app.add_directive("chart", Chart)
    app.add_directive("result-table", ResultTable)
