"""`chart` and `result-table`: the report's pictures and tables, drawn from the result while the site is built.

A picture is written in four looks (light and dark, wide and narrow). The page has a <picture> for either brightness,
of which the style sheet shows one, and each picks the narrow drawing on a phone; that works without scripts.
"""

import functools
import hashlib
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from benchmarks.disturbance import MARK
from benchmarks.report import Look, scale
from concdocs import results, web_tables
from concdocs.places import ROOT, Directive, Mistake, NotMeasured

CACHE = ROOT / "build" / "docs-charts"
FOLDER = "_charts"
LOOKS = {
    f"{brightness}-{width}": Look(dark=brightness == "dark", narrow=width == "narrow")
    for brightness in ("light", "dark")
    for width in ("wide", "narrow")
}


class chart(nodes.figure):
    """A picture in its looks: above it what to remember of it, under it the command that measures it."""


class takeaway(nodes.General, nodes.TextElement):
    """The sentence to remember of a picture: docutils' own caption can't stand above it."""


class picture(nodes.General, nodes.Element):
    """The <picture>s."""


class Chart(Directive):
    """The argument is a chart's name, or MODEL/NAME for one of a model's own.

    Some have no picture: their table stands in its place. `:otherwise:` is what the page says where the result has no
    figures for it.
    """

    required_arguments = 1
    option_spec: ClassVar = {"otherwise": directives.unchanged_required}

    def build(self) -> list[nodes.Node]:
        file, name = results.split(self.arguments[0])
        if "otherwise" in self.options and not is_there(file, name):
            return self.markdown(self.options["otherwise"])
        file, drawn = named_chart(self.arguments[0])
        if drawn is None:
            return [nodes.admonition("", nodes.paragraph("", f"The chart {self.arguments[0]} is not drawn yet."))]
        self.depends_on(results.path(file))
        stem = self.arguments[0].replace("/", "-").replace(":", "-")
        title = takeaway(drawn.takeaway, drawn.takeaway)
        if drawn.draw:
            shown: nodes.Node = picture("", alt=drawn.alt, files=_drawings(file, stem, drawn))
        else:
            shown = nodes.container("", *self.markdown(drawn.sheet.markdown()), classes=["wide-table"])
        mark = f"{MARK}: other work disturbed a round." if MARK in drawn.sheet.markdown() else ""
        made = nodes.container("", *self.markdown(f"{drawn.note} {mark} Measured with `{drawn.command}`.".strip()))
        made["classes"].append("legend")
        return [chart("", title, shown, made, classes=["chart"], shows=self.arguments[0])]


def is_there(file: str, name: str) -> bool:
    """Whether a result has figures for this chart; one that was not measured has not."""
    try:
        return name in (_charts(file, None) or {})
    except NotMeasured:
        return False


def named_chart(argument: str) -> tuple[str, Any]:
    """The result that the chart of this name comes from, and the chart; None while there is no report at all. Raises
    `Mistake`."""
    file, name = results.split(argument)
    return file, _chart(file, name)


def _chart(file: str, name: str) -> Any:
    """The chart of this name, of this result; None while there is no report at all. Raises `Mistake`, `NotMeasured`."""
    model, slash, own = name.rpartition("/")
    known = _charts(file, model if slash else None)
    if known is None or own in known:
        return known and known[own]
    raise results.not_there(file, f"the report has no chart {name}; it has {', '.join(known) or 'none'}")


@functools.cache
def _charts(file: str, model: str | None) -> dict[str, Any] | None:
    try:
        from benchmarks.report import charts, model_charts
    except ImportError:
        return None
    found = results.results(file)
    return {it.name: it for it in (charts(found) if model is None else model_charts(found, model))}


@functools.cache
def _tables(file: str) -> dict[str, str]:
    from benchmarks.report import tables

    found = results.results(file)
    return tables(found) | web_tables.tables(found)


def _drawings(result: str, stem: str, drawn: Any) -> dict[str, str]:
    """The files of the looks, by look, drawn anew only where the result or the report's code has changed."""
    files = {name: CACHE / state(result) / f"{stem}-{name}.svg" for name in LOOKS}
    if not all(file.exists() for file in files.values()):
        pictures = drawn.svgs()
        files[next(iter(files))].parent.mkdir(parents=True, exist_ok=True)
        for name, look in LOOKS.items():
            files[name].write_text(pictures[look])
    return {name: str(file) for name, file in files.items()}


@functools.cache
def state(result: str) -> str:
    """Changes with the result and with the code that draws."""
    digest = hashlib.sha256(results.path(result).read_bytes())
    beside = scale.committed() if result == "scale" else []  # the same chart has other machines' results
    for path in (*beside, *sorted((ROOT / "benchmarks").rglob("*.py"))):
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
    """One of the report's tables, or of those of web services, by name; `:otherwise:` as with charts."""

    required_arguments = 1
    option_spec: ClassVar = {"otherwise": directives.unchanged_required}

    def build(self) -> list[nodes.Node]:
        file, name = results.split(self.arguments[0])
        known = _tables(file)
        if "otherwise" in self.options and name not in known:
            return self.markdown(self.options["otherwise"])
        if name == "left-out" and name not in known:
            return self.markdown("Everything that was chosen for this run was measured.")
        if name not in known:
            raise results.not_there(file, f"the report has no table {name}; it has {', '.join(known) or 'none'}")
        self.depends_on(results.path(file))
        return [nodes.container("", *self.markdown(known[name]), classes=["wide-table"])]


class Builds(Directive):
    """The builds of the Pythons of a result; `about-result` says whether they are alike."""

    required_arguments = 1

    def build(self) -> list[nodes.Node]:
        from benchmarks.report import builds

        name = self.arguments[0]
        if name not in results.FILES:
            raise Mistake(f"there is no result {name!r}; there are {', '.join(filter(None, results.FILES))}")
        found = results.results(name)
        self.depends_on(results.path(name))
        return [nodes.container("", *self.markdown(builds.sheet(found).markdown()), classes=["wide-table"])]


def open_chart(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append(self.starttag(node, "figure"))


def close_chart(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append("</figure>\n")


def open_takeaway(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append(self.starttag(node, "figcaption", ""))


def close_takeaway(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append("</figcaption>\n")


def setup(app: Sphinx) -> None:
    app.add_node(takeaway, html=(open_takeaway, close_takeaway))
    app.add_node(chart, html=(open_chart, close_chart))
    app.add_node(picture, html=(show_pictures, None))
    app.add_directive("chart", Chart)
    app.add_directive("result-table", ResultTable)
    app.add_directive("builds", Builds)
